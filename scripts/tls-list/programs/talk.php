<?php
// Talks SIP over TLS by PHP's streams.
$options = ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]];
$address = 'tls://127.0.0.1:' . getenv('TLS_PORT');
$tls = stream_socket_client($address, $error, $text, 10, STREAM_CLIENT_CONNECT, stream_context_create($options));
for ($number = 1; $tls !== false; $number++) {
  fwrite($tls, str_replace('NUMBER', (string) $number, getenv('TLS_MESSAGE')));
  if (fread($tls, 4096) === '') exit(1);
  usleep(500000);
}
exit(1);
