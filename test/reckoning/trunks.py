"""Whose an address is: a trunk's with a name, our own side's, or any other's."""
import ipaddress

OTHER = 'other'


class Trunks:
    """`named` is a list of NETWORK=NAME, `local` one of networks."""

    def __init__(self, named, local):
        self._named = [(ipaddress.ip_network(one.partition('=')[0]), one.partition('=')[2]) for one in named]
        self._local = [ipaddress.ip_network(one) for one in local]

    def name(self, address):
        """Of a trunk without a name, its address; None of our own side."""
        parsed = ipaddress.ip_address(address)
        for network, name in self._named:
            if parsed.version == network.version and parsed in network:
                return name
        return None if any(parsed.version == one.version and parsed in one for one in self._local) else address

    def shown(self, name):
        """As the label says it."""
        return name if any(name == one for _, one in self._named) else OTHER

    def ends(self, source, target):
        """Name and direction of both ends of a hop: `in` where it comes from, `out` where it goes to."""
        ends = ((self.name(source), 'in'), (self.name(target), 'out'))
        return [end for end in ends if end[0] is not None]

    def rows(self, source, target):
        """The same as labels say it."""
        return [(self.shown(name), direction) for name, direction in self.ends(source, target)]
