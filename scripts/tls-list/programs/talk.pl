# Talks SIP over TLS by IO::Socket::SSL.
use strict;
use IO::Socket::SSL;
my $tls = IO::Socket::SSL->new(PeerAddr => "127.0.0.1:$ENV{TLS_PORT}", SSL_verify_mode => SSL_VERIFY_NONE)
  or die "connect: $SSL_ERROR\n";
for (my $number = 1; ; $number++) {
  (my $text = $ENV{TLS_MESSAGE}) =~ s/NUMBER/$number/g;
  syswrite($tls, $text);
  sysread($tls, my $answer, 4096) or exit 1;
  select(undef, undef, undef, 0.5);
}
