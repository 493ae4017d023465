/**
 * Words that name nobody: they stay where standards put them. What is in no list here is replaced, so a word that is missing costs
 * a reader something and gives nobody away.
 */

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.flatMap((list) => list.trim().split(/\s+/)));
}

/**
 * These stay wherever they stand, and nothing becomes one: who does not say who he is, numbers of emergency services, and what the
 * detection of attackers looks for in users (with `KEPT_TEXT` of tokens.ts).
 */
export const KEPT_WORDS = words(
  'anonymous unavailable unknown restricted invalid localhost local sipvicious or and',
  '112 911 110 999',
);

export const METHODS = words(
  'invite ack bye cancel register options prack subscribe notify publish info refer message update',
);

/** In front of the colon of a URI. */
export const SCHEMES = [
  'sips',
  'sip',
  'tel',
  'urn',
  'https',
  'http',
  'mailto',
  'im',
  'pres',
  'cid',
  'fax',
  'wss',
  'ws',
];

/** Reason phrases of responses (RFC 3261 section 21 and its extensions), causes of Q.850, reasons of RFC 3326 and RFC 6665. */
export const PHRASE_WORDS = words(
  'trying ringing call is being forwarded queued session progress early dialog terminated ok accepted no notification',
  'multiple choices moved permanently temporarily use proxy alternative service bad request unauthorized payment required',
  'forbidden not found method allowed acceptable authentication timeout gone conditional failed entity too large long',
  'unsupported media type uri scheme resource priority extension interval brief location information referrer identity provide',
  'flow anonymity disallowed identity info certificate invalid header first hop lacks outbound support consent needed',
  'available does exist loop detected many hops address incomplete ambiguous busy here terminated event undecipherable security',
  'agreement server internal error implemented gateway version supported message precondition failure everywhere decline',
  'anywhere unwanted rejected push back transaction transfer stale unallocated number route to transit network destination',
  'channel unacceptable normal clearing user responding answer subscriber absent changed redirection non selected out of order',
  'format facility unspecified circuit temporary switching equipment congestion access discarded requested unavailable quality',
  'incoming calls barred bearer capability authorized presently option incompatible recovery on timer expiry protocol',
  'interworking mandatory missing element value content completed elsewhere by from for the in at with and or a an bye sent',
  'received deactivated probation giveup noresource rejected expired timed canceled cancelled picked up other party hangup',
  'release complete due cause after reset rtp inactivity idle account registration register ack prack invite update options',
  'subscribe notify refer info publish q sip isup',
);

/** Tokens of headers that hold no names. */
export const HEADER_WORDS = words(
  ...METHODS,
  // Transports and parameters that are flags.
  'sip udp tcp tls sctp ws wss dtls rtp q isup lr ob rport early only npdi on off yes no true false phone ip dialstring',
  'explicit require hide lr outbound keep comp sigcomp',
  // Option tags and event packages.
  '100rel timer replaces join path gruu gin norefersub from change eventlist sec agree precondition answermode resource',
  'priority early session histinfo tdialog uui policy siprec record aware recipient list invite subscribe message multiple',
  'refer nosub explicitsub pref privacy trickle ice sdp anat geolocation http sip presence dialog conference reg mwi',
  'winfo check sync ua profile kpml refer hold park call info message summary spam answer line seize shared xcap diff as feature',
  'vq rtcpxr load control keepalive consent pending additions poc settings rtcp xr',
  // Types of bodies.
  'application sdp text plain html xml multipart mixed related alternative signed message sipfrag rfc822 cpim pidf reginfo',
  'dtmf relay simple rs metadata pkcs7 mime signature isup qsig csta resource lists media control vnd broadsoft 3gpp ims etsi',
  'octet stream base version itu t92 ansi ansi88 nss handling optional required render session icon alert by reference utf 8',
  'iso us ascii charset encoding gzip deflate identity binary octets en de fr es it pt nl pl ru ja zh da sv fi nb cs gb us br ca au',
  // States, reasons, privacy, priorities.
  'active pending terminated waiting init noresource rejected timeout deactivated probation giveup invariant id user header none',
  'critical full uas uac emergency urgent normal non high low unconditional busy deflection follow me time of day do not disturb',
  'away out service user unavailable noanswer no answer cfu cfb cfnr unknown send only recv sendrecv sendonly recvonly inactive',
  'supported gated proxy redirect cancel fork nofork no cancel recurse norecurse parallel sequential queue noqueue',
  'called calling party subscriber remote screen screening uri name off full network provided',
  // Digests and security agreements.
  'digest basic bearer ntlm kerberos md5 sess sha 256 512 auth int akav1 akav2 3gpp ipsec manual hmac 96 aes cbc null des ede3',
  'trans tun esp ah ealg alg prot mod successful',
  // Networks.
  'e utran fdd tdd geran ge utran nr ieee 802 11 11a 11b 11g 11n 11ac adsl adsl2 rdsl vdsl hdsl shdsl sdsl idsl docsis ethernet',
  'xdsl gstn untrusted non virtual epc np gpp',
  // Feature tags and URNs.
  'g icsi ref iari mmtel instance service sos gsma imei uuid oma rcse smsip video audio automata duplex mobility isfocus schemes',
  'actor class business personal principal attendant msg taker description language fixed mobile voicemail counseling police fire',
  'ambulance marine mountain physician poison animal',
  // Dates.
  'mon tue wed thu fri sat sun jan feb mar apr may jun jul aug sep oct nov dec gmt utc',
  // Passports.
  'es256 shaken div rph',
);

/** Words of an SDP that name nobody (RFC 8866, RFC 8839, RFC 4568, RFC 4585, and codecs of the registry). */
export const SDP_WORDS = words(
  'in ip4 ip6 audio video image application text message rtp avp savp avpf savpf udp tcp tls dtls sctp udptl msrp bfcp t38 tcptl',
  'webrtc datachannel as ct tias rs rr x',
  'pcmu pcma g722 g729 g729a g729b g729ab g7221 g723 g726 16 24 32 40 g728 g7231 gsm efr hr amr wb evs ilbc speex opus silk isac l16 l8 cn',
  'telephone event dvi4 lpc mpa qcelp evrc evrc0 evrcb clearmode red rtx ulpfec flexfec parityfec t140 tone vmr vorbis mp4a latm mpeg4',
  'generic h261 h263 h264 h265 h266 1998 2000 svc vp8 vp9 av1 jpeg raw jpeg2000 celb mp2t mp4v es mpv nv bv16 bv32 g711 g7291 tetra 1016',
  'aal2 smv vdvi lpcm pcm wideband nse',
  'sendrecv sendonly recvonly inactive active passive actpass holdconn new existing bundle ls fid sim fec fr rid bundle only trickle',
  'typ host srflx prflx relay raddr rport tcptype so generation network id cost ufrag svn component 0 1 2 end of candidates renomination ice2',
  'sha 1 224 256 384 512 md5 inline srtp f8 cm aes hmac sha1 80 192 128 aead gcm seed ctr ccm unencrypted unauthenticated fec order kdr wsh',
  'ccm fir nack pli tmmbr goog remb transport cc app rrtr rcvr rtt all sender max size stat summary loss dup jitt mmax ttl hl voip metrics',
  'mandatory optional none failure unknown local remote e2e send recv sendrecv qos sec',
  't38faxversion t38maxbitrate t38faxratemanagement t38faxmaxbuffer t38faxmaxdatagram t38faxudpec t38udpredundancy t38udpfec transferredtcf',
  'localtcf t38faxfillbitremoval t38faxtranscodingmmr t38faxtranscodingjbig t38vendorinfo',
  'urn ietf params rtp hdrext ssrc level csrc toffset abs send time 3gpp orientation sdes mid repaired stream smpte tc encrypt client mixer to',
  'http https www org experiments extensions draft holmer rmcat transport wide 01 02 playout delay content type timing color space',
  'inband tests generic frame descriptor 00 video layers allocation00 aomedia av1 dependency',
  'slides speaker sl main alt off on yes no true false clear base64 uri prompt session full lite imageattr',
);

/** Parameters of formats whose values say how media is coded (RFC 4855 and the payload formats' own). */
export const FORMAT_PARAMETERS = words(
  'annexa annexb mode mode-set mode-change-period mode-change-capability mode-change-neighbor octet-align crc robust-sorting',
  'interleaving bitrate ptime maxptime minptime useinbandfec usedtx cbr stereo sprop-stereo maxplaybackrate maxaveragebitrate',
  'sprop-maxcapturerate max-red apt rtx-time profile-level-id packetization-mode level-asymmetry-allowed max-mbps max-fs max-br max-fr',
  'max-cpb max-dpb max-smbps profile-id level-id tier-flag tx-mode br bw ch-aw-recv channels dtx dtx-recv hf-only evs-mode-switch cmr',
  'profile level-idx vbr penh cng config-count events qcif cif custom maxbr bpp hrd profile-space useinbandfec',
);

/** Attributes of SDP whose names stay; with a value they are told apart in sdp-text.ts. */
export const SDP_ATTRIBUTES = words(
  'rtpmap fmtp ptime maxptime minptime sendrecv sendonly recvonly inactive rtcp rtcp-mux rtcp-mux-only rtcp-rsize rtcp-fb rtcp-xr',
  'setup connection mid group bundle-only msid msid-semantic ssrc ssrc-group candidate end-of-candidates remote-candidates ice-ufrag',
  'ice-pwd ice-lite ice-options ice-mismatch crypto fingerprint tls-id identity key-mgmt extmap extmap-allow-mixed rid simulcast',
  'sctp-port sctpmap max-message-size label content charset sdplang lang framerate quality orient tool type cat keywds curr des conf',
  'silencesupp ecan gpmd cname path accept-types accept-wrapped-types file-selector floorctrl confid userid floorid direction record',
  'recordpref source-filter nortpproxy zrtp-hash oldmediaip alt tcap acap pcfg acfg csup creq cpar imageattr framesize inline tcap',
  't38faxversion t38maxbitrate t38faxratemanagement t38faxmaxbuffer t38faxmaxdatagram t38faxudpec t38vendorinfo t38faxfillbitremoval',
  't38faxtranscodingmmr t38faxtranscodingjbig x-google-flag',
);

/** Names and words of reports of quality (RFC 6035, P-RTP-Stat and its kin). */
export const FIGURE_WORDS = words(
  ...SDP_WORDS,
  'ps os pr or pl pd ji la en de du dur cs cd oct es er ip ex mos jitter packetlosspct rtt total_rx_pkts rx_pkts_lost total_tx_pkts',
  'remote_rx_pkts_lost pkt lostpkt latepkt avgjit vqmetrics mlqk mlqkav mlqkmn mlqkmx maxjitter voonewaydelayms icr ccr icrmx cs scs mlqkvr',
  'vorxcodec vqsessionreport vqintervalreport vqalertreport callterm calleg localmetrics remotemetrics timestamps start stop sessiondesc pt pd sr fd fo',
  'fpp pps plc ssup fmtp localaddr remoteaddr port ssrc jitterbuffer jba jbr jbn jbm jbx packetloss nlr jdr burstgaploss bld bd gld gd gmin',
  'delay rtd esd owd sowd iaj maj signal sl nl rerl noise qualityest rlq rlqestalg rcq rcqestalg extri extro moslq moslqestalg moscq moscqestalg',
  'qoeestalg type severity warning critical dir local remote z p 564 862 dialogid callid',
);

/** Names of the lines of such a report whose values name somebody. */
export const FIGURE_TEXTS = words(
  'callid fromid toid origid localid remoteid localgroup remotegroup localmac remotemac dialogid',
);

/** Of summaries of messages (RFC 3842) and of key presses in INFO. */
export const PLAIN_BODY_WORDS = words(
  'messages waiting message account voice fax pager multimedia text none yes no signal duration flash pause hold event',
);

/** Names of elements and attributes (RFC 3863, RFC 4235, RFC 4575, RFC 7865, RFC 3680, RFC 5168 and their kin). */
export const XML_WORDS = words(
  'xml version encoding standalone xmlns xsi schemalocation id type state name lang dialog info call from to tag local remote direction',
  'identity target uri param pname pval display text duration session description event code reason replaced referred by route set remove',
  'presence tuple status basic contact priority note timestamp dm rpid pp activities person device place is away busy on the phone',
  'reginfo registration aor expires callid cseq q unknown param conference users user endpoint media entity disconnection joining method',
  'recording datamode group participant stream sessionassoc participantsessionassoc participantstreamassoc associate time disassociate',
  'session_id group_id participant_id stream_id nameid label start stop end reject send recv sipsessionid ref rs metadata c ns',
  'media_control vc_primitive to_encoder picture_fast_update picture_freeze request general_error count entry list resource instance pidf',
  'watcherinfo watcher alert appearance call line key exclusive replaces header value sa sla x uri utf 8 iso 8859 us ascii yes no',
);
/** Contents and values of attributes that say what state something is in. */
export const XML_TEXTS = words(
  'full partial confirmed early terminated trying proceeding initiator recipient active inactive init open closed registered unregistered',
  'created refreshed shortened expired deactivated probation rejected cancelled replaced error timeout complete incomplete true false yes no',
  'sendrecv sendonly recvonly audio video text message available unavailable busy away online offline idle utf 8 iso us ascii en',
);
