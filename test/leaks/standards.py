"""
Words that anybody may read: those of the standards, which an anonymized capture keeps. A word here is no original wherever it
stands, so nothing goes in that could name somebody.
"""

import re

# Headers whose whole value is kept: nothing but numbers and words of the standards. What else stands in them is searched for.
KEPT_HEADERS = set(
    b"""accept accept-encoding accept-language allow allow-events answer-mode content-disposition content-encoding content-length
    content-type content-language cseq date event expires max-forwards max-breadth mime-version min-expires min-se priority privacy
    priv-answer-mode proxy-require rack request-disposition accept-contact reject-contact require retry-after rseq
    session-expires subscription-state supported suppress-if-match timestamp unsupported flow-timer recv-info p-early-media
    refer-sub target-dialog-event join-event history-index p-answer-state sec-websocket-key sec-websocket-accept
    sec-websocket-version sec-websocket-protocol sec-websocket-extensions upgrade connection cache-control pragma""".split()
)

COMPACT = {
    b'a': b'accept-contact', b'b': b'referred-by', b'c': b'content-type', b'd': b'request-disposition', b'e': b'content-encoding',
    b'f': b'from', b'i': b'call-id', b'j': b'reject-contact', b'k': b'supported', b'l': b'content-length', b'm': b'contact',
    b'n': b'identity-info', b'o': b'event', b'r': b'refer-to', b's': b'subject', b't': b'to', b'u': b'allow-events', b'v': b'via',
    b'x': b'session-expires', b'y': b'identity',
}  # fmt: skip

# Parameters whose value is kept.
KEPT_PARAMETERS = set(
    b"""algorithm alg audio cause charset comp counter data duplex duration early-only events expires extensions handling hidden
    id index isfocus keep language level limit lr mc method methods min-se mobility mp mode nc ob oc oc-algo oc-validity on-hold
    order party phone-context-type pn-type ppt priority privacy prio progressive purpose q qop rc reason refresher reg-id
    required retry-after rport schemes screen screen-ind screening shaken signaled sip.byeless sip.rendering sos stale state sub-state
    term text-only transport ttl typ type user version video application automata class conference control description
    actor image gruu outbound timer trunk trunk-context-type noa npi ton calling called encap npdi rn-type cpc oli isub-encoding
    access-type network-provided utran-type generic-param bc""".split()
)

_WORDS = b"""
 100rel 3pcc 407 488 able about absolute accept acceptable accepted access account ack active activity address addresses adaptive
 again algorithm alert alerting algo allow allowed already also ambiguous amr amr-wb answer answered anonymous any anywhere
 application applied april are arrive attended audio auth auth-int authentication authorization automata
 automatic available avpf back bad bandwidth base64 based basic been before begin being between binary body bodies boolean both boundary
 breadth bridge broken bundle busy bye byeless call call-id call-info called callee caller caller-id callerid calling calls came cancel
 canceled cancelled cannot capabilities cause challenge change changed channel channels charset check checksync chunked clear clearing
 client clock close closed codec comfort comm comedia completed complete completely concurrent condition conference confirmed conf-aware congestion
 connect connected connecting connection contact content content-disposition content-length content-type continue control converted
 cookie cpim create created credentials csta cseq currently data date days deactivated dead dead-end december decline declined default
 delivered delayed denied dest destination detail device dialog dialog-info different digest direct directed direction directory disabled disconnect disposition does domain
 done dtmf dtmf-relay duplex duration dynamic early early-media early-session ecmascript elsewhere emergency empty enabled encap encoding encrypted
 end ended endpoint english enough entity error escape established event eventlist events evs exchange exceeded except exist exists expired
 expires explicitly extension external failed failover failure false fast fax fbcp february feature featuretag fields file final first flow
 fmtp folded follow forbidden fork forked form format forward forwarded forwarding found fraction framed friday from full fully function
 further g722 g723 g726 g726-16 g726-24 g726-32 g726-40 g728 g729 g729a g729d g729e gateway general generic globally gone
 gruu gsm gsm-efr gzip h224 h261 h263 h263-1998 h263-2000 h264 h265 handling hash have header headers held held-by here high hint
 history histinfo hold host hours html http https iana ice icon identifier identity ignored ilbc image immediate implemented
 inactive incompatible inband inc indicated info information init initial initiate insane inserted instance integer intended internal internet interval
 interworking intolerable invalid invite iplr ip4 ip6 isac isfocus isup item january join json july june kept keepalive keep known
 language last late later leave leg length less level limit linear line list local local-tag location long loop low
 lpc main maintenance major malformed march mask maximum media member message messages message-summary method methods mid
 middle min minimum minor missing mixer mixed mobility mode moderate modify monday more mortality moved mp4a-latm mpa mpeg mpeg4-generic
 msrp multi-party multipart multiple name names native negative network network-provided never new next nonce non-urgent norefersub normal nosub noresource
 not notify notification november number numbers object october offer okay on-hold one online only open options opus order
 origin original other out outbound out-of-dialog overlap overload packet packets parallel parameter parameters parked partial participant parties party pass passive
 password path payload payment pcma pcmu pdd peer pending percent permanent permanently permission phone phone-context pidf pint plain
 poc-settings point policy poll port pranswer precondition preconditions prefer preference present presence presence.winfo principal priority privacy private probation processing profile progress progressing progressive prohibited
 protocol provided provide proxies proxy proxy-authenticate proxy-authorization public publish purpose qcelp queue queued quality range rate reached
 reason receive received recipient recipient-list recipient-list-invite recipient-list-message reconnect recvonly red redirect redirected redundant refer referred refresh refresher reg reginfo register registered registrar
 registration reject rejected rejecting related relay release remote remote-tag rendering replaces replaced replacing report request requested require
 required reserved resource resource-lists resource-priority response restricted retransmission retrying retry-after ring ringing route routing route-set rport rseq
 safe saturday savp savpf scheme sctp sdes-srtp-only sdp second seconds secure security self send sender sending sendonly sendrecv september
 sequence sequential serial server service session session-expires settings signal signalling sip sipfrag sip.instance sip.audio sip.video simple simple-message-summary since size small soap some
 sound source speakers speech speex spoken srtp stale standard state station status step stop stream streaming string subject
 subscribe subscribed subscription subscription-state success such sunday supported support suppressed syntax system t140 tag target tdialog tcp telephone
 telephone-event temp temporarily temporary term terminate terminated test-only text than that the there thursday time timed timeout timer times tls token
 told too total transaction transcoding transfer transferred transferring translate transport true trunk trying tuesday type types udp ulpfec unable
 unacceptable unallocated unassigned unattended unauthorized unavailable unavailable-here undecipherable unconditional unique unit unknown unreachable unregister unregistered unspecified unsupported
 update upgrade upn urgent urgency uri urn use used user utf-8 uuid vcard version video videos voice voicemail voice-message wait waiting warning watcher watcherinfo wednesday
 will winfo with within without work wrong xcap-diff xhtml xml xmlns yes zlib zone
 udptl image t38 t38faxversion t38maxbitrate t38faxfillbitremoval t38faxtranscodingmmr t38faxtranscodingjbig t38faxratemanagement t38faxmaxbuffer
 t38faxmaxdatagram t38faxudpec t38vendorinfo transferredtcf localtcf t38udpredundancy t38udpfec t38udpnoec t38udpecdepth
 aes_cm_128_hmac_sha1_80 aes_cm_128_hmac_sha1_32 aes_cm_192_hmac_sha1_80 aes_cm_192_hmac_sha1_32 aes_cm_256_hmac_sha1_80 aes_cm_256_hmac_sha1_32 aes_256_cm_hmac_sha1_80
 aes_256_cm_hmac_sha1_32 aead_aes_128_gcm aead_aes_256_gcm f8_128_hmac_sha1_80 inline unencrypted_srtp unencrypted_srtcp unauthenticated_srtp
 md5 md5-sess sha sha-1 sha-224 sha-256 sha-384 sha-512 sha-512-256 sha-256-sess akav1-md5 akav2-md5 es256 passport shaken hs256 rs256
 rtpmap ptime maxptime rtcp rtcp-fb rtcp-mux rtcp-rsize rtcp-xr rcvr-rtt voip-metrics stat-summary statistics ssrc ssrc-group extmap extmap-allow-mixed msid-semantic setup actpass holdconn candidate
 end-of-candidates ice-options ice-lite ice-ufrag ice-pwd trickle renomination remote-candidates host srflx prflx generation network-id network-cost raddr tcptype so relay ufrag
 annexb bitrate mode-set mode-change-period mode-change-neighbor mode-change-capability octet-align crc robust-sorting interleaving max-red ecn-capable
 useinbandfec usedtx maxaveragebitrate maxplaybackrate sprop-maxcapturerate sprop-stereo stereo minptime cbr packetization-mode
 profile-level-id level-asymmetry-allowed sprop-parameter-sets max-mbps max-fs max-fr max-br max-cpb max-dpb max-smbps max-fps apt rtx nack pli fir ccm tmmbr tmmbn tstr vbcm goog-remb transport-cc
 cif qcif sqcif cif4 cif16 cpcf par maxbr vp8 vp9 av1 rtp avp framesize framerate quality curr des conf qos mandatory optional none local remote e2e sendrecv
 cname msid mslabel label fingerprint identity crypto group connection key-mgmt inactive orient portrait landscape sdplang lang charset maxprate silencesupp eecid cat keywds tool
 cn speex g7221 siren silk audio telephone-event tone amrwb evs isac lpc l16 l8 pcm dvi4 gsm-hr-08 vdvi mp2t mpv jpeg nv celb
 audio/video application/sdp application/isup application/simple-message-summary application/dtmf-relay application/media_control+xml
 http-equiv body-digest alternative boundary1 relative identical session-id tls-client tls-server
 call-completion call-forwarding diversion do-not-disturb follow-me no-answer no-reply out-of-service time-of-day unconditional user-busy
 history-info privacy-level critical off full name uri both ipaddr caller-user
 websocket sec-websocket-key sec-websocket-accept sec-websocket-version sec-websocket-protocol sec-websocket-extensions permessage-deflate client_max_window_bits
 server_max_window_bits server_no_context_takeover client_no_context_takeover cache-control no-cache no-store pragma keep-alive protocols switching gmt
 monday tuesday wednesday thursday friday saturday sunday hmac-sha-1-96 ipsec-3gpp ipsec-ike ipsec-man des-ede3-cbc aes-cbc null ealg trans mod prot spi-c spi-s port-c port-s
 3gpp-utran-tdd 3gpp-utran-fdd 3gpp-e-utran-fdd 3gpp-e-utran-tdd 3gpp-geran ieee-802.11 ieee-802.11a ieee-802.11b ieee-802.11g ieee-802.11n adsl dsl ethernet docsis gstn utran-cell-id-3gpp eutran cgi-3gpp
 telephone-subscriber tel sips ietf params rfc 3gpp gsma imei dtls-srtp urn-7 3gpp-service.ims.icsi.mmtel urn:urn-7:3gpp-service.ims.icsi.mmtel
 calltap anonymized circuit on r2 user-agent v1 tn orig dest iat origid attest sipvicious friendly-scanner username authorized emergency 112 911 110 999 standalone activities busy open closed away online offline basic tuple anonymous.invalid localhost local.invalid example arpa
"""

STOP = {word.lower() for word in _WORDS.split()}
STOP |= {word.lower() + ending for word in (b'invite ack bye cancel register options prack update subscribe notify refer message info publish feature ping').split() for ending in (b'', b's')}

# Reason phrases of RFC 3261 and its registry: kept as a whole.
PHRASES = {
    phrase.strip()
    for phrase in b"""trying | ringing | call is being forwarded | queued | session progress | early dialog terminated | ok | accepted | no notification |
    multiple choices | moved permanently | moved temporarily | use proxy | alternative service | bad request | unauthorized | payment required |
    forbidden | not found | method not allowed | not acceptable | proxy authentication required | request timeout | gone | length required |
    conditional request failed | request entity too large | request-uri too long | unsupported media type | unsupported uri scheme |
    unknown resource-priority | bad extension | extension required | session interval too small | interval too brief | bad location information |
    bad alert message | use identity header | provide referrer identity | flow failed | anonymity disallowed | bad identity-info |
    unsupported certificate | unsupported credential | invalid identity header | first hop lacks outbound support | max-breadth exceeded | bad info package |
    consent needed | temporarily unavailable | call/transaction does not exist | call leg/transaction does not exist | loop detected | too many hops | address incomplete |
    ambiguous | busy here | request terminated | not acceptable here | bad event | request pending | undecipherable | security agreement required |
    server internal error | internal server error | not implemented | bad gateway | service unavailable | server time-out | gateway time-out | version not supported | message too large |
    push notification service not supported | precondition failure | busy everywhere | decline | does not exist anywhere | unwanted | rejected | normal call clearing |
    user busy | no user responding | call completed elsewhere | request cancelled | normal clearing | unallocated number | call rejected | session timer expired""".lower().split(b'|')
}  # fmt: skip


# What XML itself says: names of spaces, tags and attributes.
XML_NAMES = re.compile(rb'<\?xml[^>]*>|xmlns(?::\w+)?="[^"]*"|</?[\w:.-]+|[\w:.-]+=')
CODEC = re.compile(rb'[\w.-]+/\d+(?:/\d)?')
PUNCTUATION = b'.-_*,;=<>"()[] '


def is_kept(word):
    """Whether a word is nobody's: of the standards, or a number too short to be anybody's alone."""
    low = word.lower().strip(PUNCTUATION)
    if CODEC.fullmatch(low):
        low = low.split(b'/')[0]
    return low in STOP or low.replace(b'_', b'-') in STOP or low.replace(b'_', b' ') in PHRASES or low.rstrip(b'0123456789') in STOP
