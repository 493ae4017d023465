# Talks SIP over TLS by Ruby's openssl.
require 'openssl'
require 'socket'
context = OpenSSL::SSL::SSLContext.new
context.verify_mode = OpenSSL::SSL::VERIFY_NONE
tls = OpenSSL::SSL::SSLSocket.new(TCPSocket.new('127.0.0.1', ENV['TLS_PORT']), context)
tls.connect
(1..).each do |number|
  tls.syswrite(ENV['TLS_MESSAGE'].gsub('NUMBER', number.to_s))
  tls.sysread(4096)
  sleep 0.5
end
