-- Talks SIP over TLS by LuaSec.
local socket, ssl = require 'socket', require 'ssl'
local tcp = assert(socket.connect('127.0.0.1', tonumber(os.getenv 'TLS_PORT')))
local tls = assert(ssl.wrap(tcp, { mode = 'client', protocol = 'any', verify = 'none' }))
assert(tls:dohandshake())
local number = 1
while true do
  assert(tls:send((os.getenv('TLS_MESSAGE'):gsub('NUMBER', tostring(number)))))
  repeat until assert(tls:receive '*l') == ''
  socket.sleep(0.5)
  number = number + 1
end
