"""Whose an address is: a trunk's with a name, our own side's, or any other's."""
import ipaddress

OTHER = 'other'


class Trunks:
    """`named` is a list of NETWORK=NAME, `local` one of networks."""

    def __init__(self, named, local):
        self._named = [(ipaddress.ip_network(one.partition('=')[0]), one.partition('=')[2]) for one in named]
        self._local = [ipaddress.ip_network(one) for one in local]

    def label(self, address):
        """None of our own side."""
        address = ipaddress.ip_address(address)
        for network, name in self._named:
            if address.version == network.version and address in network:
                return name
        return None if any(address.version == one.version and address in one for one in self._local) else OTHER

    def rows(self, source, target):
        """Trunk and direction of both ends of a hop: `in` where it comes from, `out` where it goes to."""
        ends = ((self.label(source), 'in'), (self.label(target), 'out'))
        return [(trunk, direction) for trunk, direction in ends if trunk is not None]
