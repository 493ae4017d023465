/**
 * Sound encoded by others: G.722 by spandsp 0.0.6, GSM by sox 14.4.2 with libgsm 1.0.22, Opus by libopus 1.3.1
 * (24 kbit/s and up, 20 ms). The sound is `chirp()`, so that what a decoder makes of it can be compared with what went in.
 */

/** Sample `i` of the sound at this rate: a rising tone under a slow swell. */
export function chirp(i: number, rate: number): number {
  const t = i / rate;
  return Math.round(
    8000 * Math.sin(2 * Math.PI * (250 * t + 300 * t * t)) * (0.6 + 0.4 * Math.sin(2 * Math.PI * 3 * t)),
  );
}

/** 0.4 s at 64 kbit/s. */
export const G722 = Buffer.from(
  '+t40uiiToKCg4ODo6ezucPP2uv3f3drY1dTT1JXV15nb3r79+rj18/Py8vLzdbX2+Lq9/tzZ2NXV1JTU1Zfa3Jv///v69vPz8vHw8PJ0tLW5/P' +
    '2eW9qW1dTSl1fY1pzZ3r/89vjx8vLxsO/39PL5+Pn/3dvc09rU0tjT3JXa3t3///f68/Tu9O718fRzvLW73N6e2dXV1tbWl1qYl/uY//v59PP1' +
    '8O+47vf29vn4+5u8W5nV1deX2dTX/9f72fn49vb18PDx8/lwtLi4uV2d3Nfdk1uWV5rY1/tW+f36+LP58PDydvXzvPKf9tv83tff1tjU2Nma/9' +
    'n///zz3fL29fP879twuZ29n/yaXZlZml3bvV3+/vr3/ff68/u2dbj33fdd/pv62tiUWJnZ3dpdnv389vzy+fXw8PL79/n1+t56mJe5mpRSnljV' +
    '3v/YmvNetvh08fTu/LBz3bZ4+NzZ3tv905lU1Z3b/Zn+X7T09v/w7PP87vr6+fVfv5rfv9LW2dWYWNq+2f+6+fX1+O70rvnz/LP+/fjd2Nf10t' +
    'bZ1tv+1v2evLj09PT39e308fn2+/58uZiWn9+TWZVX393avt14tHT09/Xsr17v//j1fZ3b/Jf/0tbZ1t7a3t69+7zw9LhvtvDv3fO7fbl/mtrc' +
    'WNPe09+Z13ic2/J+t/ny8/fy8/3089l5vdqb3tyQVNnanNe43l62+PL59K957vn09f+7XJ//VJb/0tdc1Nid/9+49nu3+ev8q9xy+PPZeb3anN' +
    'Z81NHa3ZjY3vrdeLL7v+6w8HS09/749dt+1Jr/09qUVd7e3p37n3D0eLButvbz/HG9fP2Z213a1NHYmNha+9e0+Pf99O70r1+t+rv7X7la2tyY' +
    '0lyT/1f/2f+89PT3f+/z9bL3/7b8edre2p7V09zUVrrY27b/+fL487dxsPOe8t92XNib/tea1FTYm/pYnPv48fe+cOyxefb599z7mt3Y2ljQ1r' +
    '7V3d6//vr08t/ruW+79rb9ttp8m95aVZPf2dbf/N2++PL7+67y9K/c9fT6Wv2a2/2SVtmWX5/d3fv79nT1sK329vV3/vz4mtra3tOZU/yX/9m/' +
    '+fb3+fP07PD49vz0/F+clZrf1ZFZ277V+533+PH1+O3x9vjy/t51mprcmFOe1JXf/Fv73vO/+Kv/7/nzfPT3l/fXvV3T3JP83JV/v//48vv97e' +
    '/f7vz33vZbvpbdm9jS3NqcXd+2/7jwt3jr/PL3n3Le3d7a2/6QUvuV3Nyf9v319vrx7fb58970+Vqcl7/Y0pnZ1/jd27X59rjy9O73u/b5+b5Z' +
    'nNndlNHZWt6b/P+/dfL59O3yufL7//n+2NjY21iQlN6e3p55ufTx/e7w8ff7+vn7WJid3NGV2Nb+2d36/bP+tvDr3LHz3fb93t7Y1vzU0Nr/2N' +
    'v1vv3x9Pbz9fDz2/D9XJq+lp/YkFf43Nb33Le4cPjx8/ix+fvc/L9WnVmVU/zY1vneuXjz/PLz9O6/9/76nl/ck/fPvtJ83Jr5/LV6+fDu+PH6' +
    '+bfc3v7W3djT3dXc2f38uLW59/Pw7v/2+fj6WJmcm5nRl33Z3Ny7erVy/+90rr53/PbbfJjW/1PckX6Y3/h5e7r177Zx9HX7//uZ3dle09zQ27' +
    'vW+v769bP+8O21+ffftH6W3/3T2pVa/pd3mPe4cv/xcPL8s9z7/lt8m9iQ2JleXNv3nnK6+O518vj0+fy8Xdf9l9rTX9ren/n9tXa57/Tv3/D2' +
    '3F78mtud0prZWt/7mPrz+3ju9fK3v/b9/1rbnNfblliX9tn/ebR0tPTu+HOf89p43ZXc2Vec1Fv3mP729vl07/+xtXqfdVmbfNqU1Vnd33+c/f' +
    'L59vTttvl2+9+21t/+0tmX/9f43N/z/PXy8/jv3Pb733ybnJbc0p/c2v38ufX2+rHu+PS23fj71Nr81tXX/dr9n3e9sfW187Xy/fj43lyW3duY' +
    '0dv53NvznPP2t/fx9LX//t/61drd1dXc2f7d+bf7+e7z+PH5+ftbu5WZntiQW/nc27V4s/zzdrHz3vb+3n2Y1NyX3FTa+v/9t/zy8/Tx9v/33n' +
    'uXu9WY1Nf53Zhfsvq2+/Vu9vr6vfqeXNbf2tXX+5b4ev65753vt3f59f7d39/bnFLandv7mvjzfvit87zw+Pp+3Fq/2ZXW237Y3fu797Z39u74' +
    's9z63/fS/pde157Z//67+/d577jwtPmfddzXfJzS29/b/P7b8LT69vCx+Pbf9pv70/rX3NXa+v7cuHK6t/Sw9LZd+97/2df+lFb/m/z4uvzv3+' +
    '3y+/xzm/eY2N6dVNf6md/2/bjx+fP39/n33f5bupjU1p7e3t77vPH2+/P18ffbdr6Y3Jra2Na+Wrz495317/b1dfr5u9u/195b2ZXc3rfb8/74' +
    '7fPf8Hi4+5f715pc1Jb83/qe9HS29vTv/vv//99/mNXXvNqcW7b7+bN8r3f59Pbc3N3dnFWV2/pZ/r748PT183nzvPm+2Z5/091W27jf/rv48P' +
    'J58vT1utzd/tnb2dXY3vvZ9/r2tPDx9/v5+HyanpzU1Jne/929drf68K788vtd99qd3pbYWNidep/09nyv9fH49t913diY3defW5xbs120cvzw' +
    '7v77+9/43tbc197a3d36u/d6s7Tvvve++l3dmFnYlt1c3bt8snjytXDy/fvf99Ze2pjV3tye91/zt/rwrn7599v22NTc3NTa/Z15uPW397Tu+9' +
    '9z2vuY1p/90txd+/23/raw7fp89vy6Wdnb/NOe2t+0+t7x9fHy+fn2/91bnZrZltne+d+2/PL07vn2+vn8XpqdldXanVzftfr2tfHx8v56+LvU' +
    'mF3W2tvbut/1+HWx8LH5+PbdXd2Y1dnX+9b6+7r1svbx9LV7nf3cl36R13nY2vX4tvjv+/H0+P/e3/5UlJTc3Z79u/jt+PDx9vr53/xYlZvc0Z' +
    '7837X3/vLv+PD32fV/lJnck/nV2fi1/3W29Kz0/7x3mnvT3tf+U7XZ+vf59fDyuvj23rxbm93U1Jzde9629/exb97x+P1dmdjc1NTa+9u0+fiw' +
    '7/7yt9703tXc2dbb3di89nyyuO+48LXee9v+mNLbnlnd//yw855t8PT32f/71/7Q0/bZ2vj5+LDz/O77+//f3t1Wlpqb/tm6+PH3tvHw9f+dfp' +
    'rd1JLc2t/63fax9PDv3rL72/uUVb7U0vif+n/29a74sPd//PrV2tuYUv6Xdbz4tnTu9ff8tPzcVJhYltnZXvf/9rTw7/t59fuZ25zWWNP92/ea' +
    '8/rw8PL99Pj+Vp+b2JLb/P2edrnxrvjy+vp93tjYk96WW7x//K/+8vDvXfW/3dudUtrZ2Nn5ufT083buuvm72p7dVNFb3p3du/nuefCu+/r53l' +
    'zYldTXn9t72rHz+7Jw8frf+lmc1ZTU2/xe/7jwsfL18/xz1/uS/9WX2v7Y+fS19fDws9733Nv819TT+dr+3Piu9fXy9vf93lyXv5HT+pjb8v64' +
    '7fTy95/z2/3Y0tzX3dv73bL29fHx9vve/V2XmpSS+5l+/PL18fWw89772d6dUtO71Z/33fXv+vHxuvz52dmaVtWZmnq+e7Zx7/jx+fvb+dXU0r' +
    '5W/5v1tvbz9G76v/y9V51S1tzX+l658vXx7/3z/t1fndKb1tiaev629fKx79/z3n/Z15rYkNt32rX3/at2+vX6nX+V1lvYk/dX9bV59OvctPLa' +
    '/1zR/pbW3r9f8vzz87TwtVv62tzV1JP22t55tvSs9fjy/fxeltub096affm1+G/2sfPd/HnX3ZLTudlY/PO5b7zu9fbc2/z+z9rW3vrcnPHv9v' +
    'P79/j7UZufl9fbm/T23rPz8fD4nnub3dWRWJv7WPzytG61dvjy2t3V29vX179fsv+47Oz3/v5899KW1pzXe9W39vO57vpy/tza/JbVk/5auHy3' +
    '+uv68fj533zUlNSW3t3c+rP46vp18byf39XY09zT9tr1t/iu8Pb7n/j/0dbY1Nzc26/98vP28/j+3Fqdk5nT+pv23Pav8fX2/rl7ktrYkv5Y1q' +
    '/e9O64cvPX81jXu9OY3Fr6tt3z8vN49P6e/9iQVdu93Nm4bfL2+PDxn1ua216T1t36+fn86/Xv2/T8e5CX2dqc1/v9sPL19e/c+f9WnpfT/pb/' +
    '+Lb47fXw85r73Nbd09b+2f+1+PHt9/r0+dpelJKd192e9//vt/Hx99uzUp/d0ZX71vT0/fOx9PD827hcktrUmP8=',
  'base64',
);

/** 0.6 s in 30 packets, each after its length in two bytes. */
export const OPUS = Buffer.from(
  'AM34ykRuRh9jA80zhEpoeeQcq7iA3LLjImE2AcjY+gkiCgktmGux7u/NieWhAtjnfnWHzCrLGjoZosPX/rkoOe6vKtcflFPVH7BNa4+ltmdpXn' +
    'x/0aDZs1T0E0R8MbZzwtc326oDXUOWW/LqgkKRJEOfTENNxEOfSgeYXqkSrOtskSMvrgBUsENCag8S3II+HyqDKbgIjTqvjglnzqlB01QuTfs3' +
    'hg78GvRM60DbzDE4X0BdED1N0bZj0tsTgz9ntJF7sl4Eqf58i8DkN5q8AHH4ws/hi8lmAhGiUChOA4eMY29jeR0gKJaEk7VJipyv3x1eUsYQQE' +
    'r9xRY3hOX+UzH3Wf+1vJLK/5oPd+Wn6BsLVbFRrdsjtw+sMiQeyfcb4mk518JbHcZHAZAJZ3wceCIOPqf+tvRqLincJuMMMcyHNwBx+MD6H0Oh' +
    'yxBUijNQIJNP3Ob/JuWkLqCP+gBPWB8hNI831kXyKr8A9CrTmdByNMKwdLkoRircZD7ysYal5F0KomuJUKpgcAQmmlaeUGJ3w1eXUTZiy4Oepi' +
    'vvEG1QhwpMjeSfRcXElRLZonLxwSY+Ky4Ac/jA5QOU9hkwK4KWkYLNfjz6GOBSCqcvNqexOUoFijkDryZNC0cUNH/bcuz2QgmXqDyMX3TiSTTy' +
    'sXnhJQrOkIvRIlOD+jJWWwJTDvfuq59xkVXHwxhEg0mB59M4dtlIRx739Wll4uTiyvNqTtxizyWLYycAePjA+tIR0pGqJjWeyYRSftUvVMLB8u' +
    'nfTsBQ2SggLs9LxNFHHq2hH0ENKEMlm1pYRhAcKpeaxryiR/+pszKUVMyE9fN4tZ2c6v4P/NRgjLvQoVtJoioYd1Dc4dJlrHh15eDHOsNBQWbu' +
    'PN43aWBRzRwZtnQqarEDIQB4+MXFCgpwRBtn/cHbYDIWPvBizdDMusu9iOSfLE3J1kJUc6CdHwbQ/vV+SMMVxgM6uXgmYmdC7Uq+7FfAE36etR' +
    'C1wywUBbJRnEbc2BKA5EAncigW0adIAYI61PjZb8o3JRelRfzTKWCOAB4tdGWq3JDdlZqC6t8aAHf4wPhBaKP+vNlfH3kStIUn6+QSKc6asGWn' +
    'j3ted6N1tAuPGZuTAY8oMNdvXj7K2O7fiduD9fz1tuil51v5o7yoEwYDrQnyEVyzzvs8fdLIzt8vbZ9yhT111OOQB424vxGAizS5KT2Q/XiF5T' +
    'HAmbwjxs62yZAzFQB/+ML6+L2O39AW5W0zP9pTsEwiTpxPQt2smc1jMQfWhnqSsOE3fEx+Hw5U2KWdBcif504+ERCoyOGb3Zt75029uAgdzQWc' +
    '9AKfzk6VPNyW2p1nIRcs+h0u0QhUNX8LEoQ1CK1uSVbODBl64rQu1HZmdAOM5Z1fI412cQ3rQhPbDgCB+MME7VOBe3VMI+lhz8wdNSakb7tPLU' +
    'HEyWElb3lYNXPbr93Ym7ntM6Mi3BS2X3JDZCcwinxUXHpsbduQYs4EndA3O+ELVZ7Pnjo0YatHFYYkOL6MMh+VYVM7t/U3zjjymVi1NVd724ha' +
    'ZUOxKKSCRnBKMztzPbzojPd5lcaiwB8LAH34x59TggUHYe9H1gI/opzScE8wvD0W2ihaV9WURssVuVeumxVT/BSUOF1wfHB9tWe2Z8x4vY2cxV' +
    'JuOdafqp+jU0cz1ra0GeulkY2wRXGUT9M3TGwT7Py6Ee1AAE6v9ngM9UJK7/H69T1392mMVEXWJKsarq9/IxrL5ov/BgB/+MKKiLHRMWC8yP5S' +
    '2+G2XDqg/hLbRpOLlQesIplhI0XzcYn/g4JmbQBPkBj1M8ErqZwnDN4ekbtWE95O8vA5KntlN1m09Os5KLEDt7lNWWerhVb1JcQRAuKL/rWnD8' +
    'B/Usu0GZ+nj5j2hNkfjZ8mU1JrKc/tXdwDtg5Z+5u/AACA+LGrexklHLMFo9Caytm/ffD9TgqvwnQ8bcfGaln25N/BbsAFAC3+O6y0ooc7/2M8' +
    '0gbUwGfen6/p1X8Kci412D1bla7BB5sybJWR0BMLfwpylM/JZ0/tNXiw9TpSBj2OD4FqhO+kJZB41k4+TFQvvtvVmP/GFLw5SHo7ZH8d9bwAgP' +
    'iwToEik7wdzME08MYMXy+ckAsuPCvbHHkcBRRbJqAMWJyr1/6VDzrZvF7J/NK2YyNETL6acE02SI8hOQINbrM2nhCDLPt9fEMMy3TNqOZ9Y1si' +
    'jFbApsczY58j/Qo6wrTOPtnv8Pm2NgLXutm/JFo4f/S5RyIzxJ50ZJZkEIu4AID4rTV/nwzD2kDRxLXr+/MXO6Fg5SiE96AORZfYUHdOX3H7RT' +
    'b7+C3SJ5hVBQvFRXP0dy1Yvvgiw9KRfllStRnSd4QR3tMNfGti2gHVme8CovQs9QXE4AY7RFvdapkzExz7jeieRswLDVdyIG1+HEw/slbQM7NT' +
    'aG9P9kO+reittgCA+K/qddieKh2LimOTNqrSn8v5byvr58oF2oXfHC/9YvyStJYoHuInrfyT2USJr35R65eanShIZHdB/aXDE53x62+5eJcAyr' +
    'lisvw/onHbdCZHFrfh/FijJCysAx6x/nBLabQ/rHHjIFQ1Xh5s1DL0ujS/bFLLjbXWcDEHhu6Z3bMAgPitZiDXwo7nPt3Pnr4Mhkz1/i3xW22r' +
    'fudq0BvrkS5ZacQ6J1XbIk1QhWXuZ0p2+QcV1wqph1YNnAuERTxTlKCaln7X9+zxgb34020JX9Fk9ZVe7XMEQrXOLNfcXowaQiaNAyIvl7EEG/' +
    'Z2el0Uo/xZ5NCc9vHo4rojlcDvjcGvAID4rW9MX+WGP5HJC++U4UB3Os5/oZj1EHxIRp0UAILfo9BRB4KhEJ5b9QomGa0Uk0OMxr+ROVVLFGDY' +
    'dSyiyw/eFUi7z/1DSIYh+fep/yXnZsceDh8C/payeWSQVF3C0j8n9YutEH8mj7qartq2OWIxXY/KK+c6WzbJ9lnIwbBHrQCA+K1tS+vIEa52ts' +
    'LxXYp99cx7L6nO+QM5El7o0pyShLSx9pV7LuudU60TiUgGcc2QxYgHEGC2zsqUYVi0iYBfmadHe1Epuf8/nKJtP8/Dge5+vmB3Hz1LVVGWb2cd' +
    'o7woi4T7RF/Ltdkd6WOady79L7/4+JNnETWBV+Fpz/+8GagAgPisp5XJE7UHhi2jhe43dTJfTIFDyaPEaIlGAFBzf4IkCNJ+BDYk/pbrNNDvPY' +
    'InOkbR3drwvYTB832d8gCoIlBjy10MTuh5ruzZ3Yp53nSDnskbbIh3g69C85T9edt/NgVDeF8p006vyZp4vbatH94omYzO7VYbNtQwf3AC1r2n' +
    'AIH4rX8AqJwp4oMVlt+sM468rtHN81VHdy57S6MpMfsHH9luC3K1ArniF3WhRo1RB9yBT88S0R+KeDnGnzTgjHbIigDGbL1LwRNVvc6czwObfP' +
    'AqOUu+AfkGouvPP5og4iExtVB/sRQ2MPTgUNqhbb0KhLEkhQUircRQfsg8P0YRA6UAgfisp4Yl4eBzE0+ObqIQktbrArkKp5Ios5mZNYPZQQkg' +
    'sP4Np2yt0FQ/j2rtSKumqYeS0cQ1jGY0D6F4xnrX/d8l2PHnM1Yv6cE1MZksw/kaE5Gq501H4q46wZZkaNSsQKCJS9PF64Ec/Xy4Pk7gyHlidN' +
    'cl0sf/toelh/qid4zPogB/+K1/AKjtCAFoobmzupdqK9dXRSMj1sOdAdjhsDVSOl0K91hWgx0FJJaZGWYcT+Rw2HGiaZDc1sGauSVzuGa1WC5E' +
    'ZiG9xtTkueZvuEHRkQLJThTHhtzD0gtQcs/qYJhaGvSSUr62O8evgjauzDNhgvF1EtEUXjbnw4vEgFFFngCA+K0XpY4igZSFXc1VJMwvv3aJL/' +
    'O0L75joEdNVrPjN8dyoBvFRAidLbluucjuCaN3BZEa/WDUxrCTPdEiZGPvrQiNtMXL5B3fW++YSl2nMj7JMtYBnolX0GlZZM4kc2xaNsg9g6ba' +
    'dbkxUX6noABnMe46udbZ/20Y+cRw/Lp8A5wAgPitdYc8JmUYCRI+YdWTBX+KZH0Z8ZESgYmMyQcY52eJ0E1hHbCzALDt94OYLtUuEoMUMTa691' +
    'CXBozEase8chIRlM3ABkyecfPZBDSTTLOsa6NJRHpWKWmh2DLzT2itX6xTJLUz2cVdGWX1wn55yfsO5I9MGm+XMDPF/B8eJoeaAIT4r+o49Zsc' +
    'Ocz05dXh375I2G5RLOtVItXZufwpQXAYDkMK9Aqm7livbru5ASMSYB0hYBHcTQcDCwwETE504IGVAUpoRzbqtAgmHMi9Ej7JxZXMrT3V0gC8NY' +
    '1gF8hsWn0XoC7XsviYLrR0eu6SWV5N/Jr7gkfrrrsxsssbp6/TFqJaaZgAgvixojUmedDzHWa3EXEr3niC7hBOnq3WqNbtY1u0NTrZusXKcUYf' +
    'HpmdY+RFscHCtX9FDNc6CIOciQ1cBa2EGbe4K8UmhmTDBo2wHe1KD065LIZTN1mahYCvU/fnI9nHyE2e5WACx6qTk+GdW/TcTW6okKxKB6O6oW' +
    '6DDm89lWhWb5YAfPiwQf5b5VuiqDVHfuo+82n6cZwCKeaFuouj+1UYKkNmehW3yTIkxjljUjZBZvFDs7veEw0+FTHda6OdgqeEm+9/ExKlOtzo' +
    'f/S5CRMnyQoSjdBhZohUzqSkXOD6RSNQoV2R+xyytZjOXHg5ZytNJ8/MDyujw3WOpzeAr5QAgviyLAJ6tUCwxN8Xdm82P8hGjGuFnfzfXW6K2E' +
    'apfSXl+2Rwd1KHSZCgNcXWDlO8VQNZyQFzd8MWBCmT+TTP0mYo8BWkggd8jUmX2HOAsxXBZoCVJWA6LokHVgVEMiedfsAR/HYqwR6A9tW21qx0' +
    'hY5wMYxoZv4sGbVMvHMaPxBpVZQAgvixoUcYGI/BK5VPYzEzQCbT+zVtBhBZPzUfNiy4uce3Xh9mhVY+3AAgl6ZWDjNAfm12GA79lZ9VZsZMvJ' +
    'y4BCQhxgrjhp+qRAfUiEm/PsC2Iru/YrAdty0mqpnd8ppFvlHxJiBOrtcRdMwA3tUPx3pcrVgS3prlL6xbm7YO7ZEB95IAffiv52lwM/1gTSyb' +
    'b+h/VzKcBgSdW3LjYLeStgrkmCvQqubeK05nrGbxfBxxp6Iwnr5KFjkjsHluBu4WGY13JSyfMbb3JBjJupjGzGLJDO4nLhX76xIBdGNgzk3H2k' +
    'wXyKgN8PCaj/n7rOVExYDY/HLG1z02bx/V81SzFpuR',
  'base64',
);

/** 0.4 s: 20 frames of 33 bytes. */
export const GSM = Buffer.from(
  '0S3kbetQTW/sRJctUAX6k5LZG6ohtkFu26PoIQCd20jT0TDkbeN84CRLm1safIAknNqyEvDgX6MlObV1QESLttiJ0XDkbeN+gLUltjRKf4C5bY0pNXMA' +
    'aogzaslxIDdtracl0XPsbeLjIGjSKluq5SAQr/oiFG0gX6olO6yhADRLtsaS0XbkLaKjYFsbTkur2UAypdY0nGlAW2JpyWObYDScsjba0XbsKaLLAEts' +
    'aTlszKAnNY0m7ZSgRoqW2JLFIDkkbccj0XzTZRqYoDTckjbbyMBI22nJG8agNySNuSTw4DTckbck0bbsLaLu4EsSTm1aYSAA9rCVLV6ARpOWtpy8oFsa' +
    'dsjT0fLsbePogFlrSb2s5SAknbYk5YagVpOWNpywwFjScsaT0fTsbePeoEckjckj3oBHJZI3JN6gNuSRNyxUwDTdsacl0jTsbeJg4LbbkkiKueDf6QZv' +
    'CVagl3Vku6t+wJUtiLmr0jXsbePUwAD3zIe90qAyHvmDP9KgRFX5gvfOoFZT2iCm0jfkKaLKwFaTviSt8KBok7qynfDARpTaJO3IwESd1aLu0jbsbaLu' +
    'wERVsZUuUMAynbEVLcSANJ2wly3CwCTtiTur0jbsbeK+wCUtaUti5KAna0XdEnKgO1pOWIuWwFsTlrTl0jbsbeLdIErUkbTltMAypYyZbLcgJS1pzVm1' +
    'QEuiM2hM0jXsbeNrwGzQmyIva6DWVdWVLWvgBXxFOxBrwC3gC/hL0jjsKaJrAN0KlrcjjMC05a05otNASRpy+EPxgKe7KmhU0j665RpnIGZLthSlrKA7' +
    'ay7oTO7gaFPVB33rYLStbUsR0njj6WJRQTtbbk2hlcGr6Q/2FmUh+kTVl2tjASD2ZU0R',
  'base64',
);

/** SHA-256 of what sox decodes them to, 16-bit samples with the low byte first. */
export const GSM_DECODED_SHA256 = '2db6f192f432dd462f531f10b85cba1ba424a3232dc141d2a988bd7a26ed4246';
