"""Writes TLS messages as fast as it can, or slowly, to an end in its own memory: no socket, and no reader that is slow.

    tls_flood.py NAME COUNT BYTES [WAIT_MS]     COUNT 0: until it is ended; says `flooding` once it has begun
"""
import ssl, sys, time

name, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
wait = float(sys.argv[4]) / 1000 if len(sys.argv) > 4 else 0

server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_context.load_cert_chain('c.pem', 'k.pem')
client_context = ssl._create_unverified_context()
up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
client = client_context.wrap_bio(down, up)
server = server_context.wrap_bio(up, down, server_side=True)
ends = [client, server]
while ends:
    for end in list(ends):
        try:
            end.do_handshake()
            ends.remove(end)
        except ssl.SSLWantReadError:
            pass

i = 0
while count == 0 or i < count:
    text = f'MESSAGE sip:{name}@example.org SIP/2.0\r\nCall-ID: {name}-{i}\r\n\r\n'
    client.write(text.ljust(size, '.').encode())
    up.read()
    if i == 0:
        print('flooding', flush=True)
    i += 1
    if wait:
        time.sleep(wait)
