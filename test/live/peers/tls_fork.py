"""A server that forks a worker for each connection; the worker answers at once and ends.

    tls_fork.py CONNECTIONS

Prints its port, and its own process id, then serves until its input ends. With each new line of input that many
clients of another process (the parent's parent is not theirs) talk: each sends one request and reads the answer.
c.pem and k.pem are in the current folder.
"""
