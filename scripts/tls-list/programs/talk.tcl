# Talks SIP over TLS by TclTLS.
package require tls
set tls [tls::socket -require 0 -autoservername 0 127.0.0.1 $env(TLS_PORT)]
fconfigure $tls -translation binary -buffering none
for {set number 1} {1} {incr number} {
  puts -nonewline $tls [string map [list NUMBER $number] $env(TLS_MESSAGE)]
  while {[gets $tls line] > 1} {}
  if {[eof $tls]} {exit 1}
  after 500
}
