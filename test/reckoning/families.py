"""What is counted: counters by their labels, and histograms by their observations, which stay whole microseconds until the end."""

BUCKETS = {
    'calltap_registration_delay_seconds': '0.05 0.1 0.25 0.5 1 5',
    'calltap_srd_seconds': '0.5 1 2 3 5 10',
    'calltap_srd_failed_seconds': '0.5 1 2 3 5 10',
    'calltap_sdd_seconds': '0.05 0.1 0.25 0.5 1 5',
    'calltap_sdt_seconds': '5 20 60 180 600 3600',
    'calltap_pdd_seconds': '0.5 1 2 3 5 10',
    'calltap_ring_seconds': '1 3 5 10 20 40',
    'calltap_first_response_seconds': '0.01 0.05 0.1 0.5 1 4',
    'calltap_options_seconds': '0.005 0.02 0.05 0.1 0.5 2',
}

COUNTERS = (
    'calltap_trunk_attempts_total',
    'calltap_trunk_outcomes_total',
    'calltap_trunk_completed_total',
    'calltap_trunk_byes_failed_total',
    'calltap_trunk_registrations_total',
    'calltap_responses_total',
    'calltap_final_responses_total',
    'calltap_registration_results_total',
    'calltap_retransmissions_total',
    'calltap_trunk_short_calls_total',
    'calltap_trunk_repeated_attempts_total',
    'calltap_trunk_rtp_packets_total',
    'calltap_trunk_rtp_missing_total',
    'calltap_trunk_rtp_late_total',
    'calltap_trunk_rtp_duplicates_total',
    'calltap_trunk_rtp_reordered_total',
    'calltap_codec_rtp_packets_total',
    'calltap_codec_rtp_missing_total',
    'calltap_codec_streams_total',
)


class Families:
    def __init__(self):
        self._counts = {name: {} for name in COUNTERS}
        self._observed = {name: {} for name in BUCKETS}

    def count(self, name, n=1, **labels):
        counts = self._counts[name]
        key = tuple(sorted(labels.items()))
        counts[key] = counts.get(key, 0) + n

    def observe(self, name, microseconds, **labels):
        self._observed[name].setdefault(tuple(sorted(labels.items())), []).append(microseconds)

    def samples(self):
        """As on a page of metrics: name of the family -> its samples."""
        page = {name: [] for name in (*COUNTERS, *BUCKETS)}

        def add(family, suffix, key, value, **more):
            page[family].append({'name': family + suffix, 'labels': {**dict(key), **more}, 'value': value})

        for name, counts in self._counts.items():
            for key, value in sorted(counts.items()):
                if value:
                    add(name, '', key, value)
        for name, observed in self._observed.items():
            for key, values in sorted(observed.items()):
                for le in BUCKETS[name].split():
                    add(name, '_bucket', key, sum(value <= round(float(le) * 1e6) for value in values), le=le)
                add(name, '_bucket', key, len(values), le='+Inf')
                add(name, '_sum', key, sum(values) / 1e6)
                add(name, '_count', key, len(values))
        return page
