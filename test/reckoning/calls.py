"""
Attempts, registrations and OPTIONS of a capture, by the definitions of RFC 6076 (its sections are named where they count).

An attempt is the INVITE of one Call-ID from one host to another, with the rounds that credentials take. It is settled once, by
the first final response that demands no credentials or payment.
"""
import heapq

from messages import user_of

CHALLENGES = (401, 402, 407)
TIMEOUT_US = 32_000_000  # 64*T1, RFC 3261 section 17.1.1.2
OUTCOMES = {480: 'declined', 486: 'declined', 600: 'declined', 603: 'declined', 487: 'abandoned'}
OUTCOMES.update({408: 'ineffective', 500: 'ineffective', 503: 'ineffective', 504: 'ineffective'})
SHORT = (5, 20, 60)
AGAIN_US = 60_000_000


def outcome_of(code):
    if code < 300:
        return 'answered'
    if code < 400:
        return 'redirected'
    return 'challenged' if code in CHALLENGES else OUTCOMES.get(code, 'failed')


class Attempt:
    def __init__(self, message, rows):
        self.rows, self.first_us = rows, message.ts_us
        self.outcome, self.challenge, self.challenge_us = None, 0, None
        self.has_response, self.has_srd = False, False
        self.answer_us, self.tag, self.other_forks = None, '', set()
        self.bye, self.bye_us, self.bye_challenge_us, self.is_over = None, None, None, False
        self.talk_ended = False
        self.begin(message)

    def begin(self, message):
        """One more round: times count from its first transmission."""
        self.cseq, self.invite_us = message.cseq, message.ts_us
        self.ringing_us, self.has_progress, self.challenge_us = None, False, None

    @property
    def trunks(self):
        return sorted({trunk for trunk, _ in self.rows})


class Calls:
    def __init__(self, families, trunks):
        self._out, self._trunks = families, trunks
        self._attempts, self._registers, self._options = {}, {}, {}
        self._unanswered, self._due = {}, []
        self._now_us = self._waits = 0

    def pass_time(self, now_us):
        self._now_us = max(self._now_us, now_us)
        self._settle_due()

    def on_message(self, message):
        {
            'INVITE': self._on_invite,
            'BYE': self._on_bye,
            'REGISTER': self._on_register,
            'OPTIONS': self._on_options,
        }.get(message.method, lambda _: None)(message)

    def _settle_due(self):
        """Settles what nobody answered in time, in the order in which the times ran out."""
        while self._due and self._due[0][0] <= self._now_us:
            _, _, expire, one = heapq.heappop(self._due)
            expire(one, self._now_us)

    def _wait(self, since_us, expire, one):
        self._waits += 1
        heapq.heappush(self._due, (since_us + TIMEOUT_US, self._waits, expire, one))

    # Calls

    def _on_invite(self, message):
        if message.is_request:
            self._on_invite_request(message)
        else:
            attempt = self._attempts.get((message.call_id, message.target, message.source))
            if attempt is not None:
                self._on_invite_response(attempt, message)

    def _on_invite_request(self, message):
        key = (message.call_id, message.source, message.target)
        attempt = self._attempts.get(key)
        if attempt is not None:
            self._expire(attempt, message.ts_us)
            if message.cseq > attempt.cseq and attempt.answer_us is None:
                attempt.begin(message)
                self._wait(message.ts_us, self._expire, attempt)
            return
        rows = self._trunks.rows(message.source, message.target)
        if message.to_tag or not rows:
            return
        attempt = Attempt(message, rows)
        who = (user_of(message.first('from')), user_of(message.uri))
        attempt.pairs = [(*end, *who) for end in self._trunks.ends(message.source, message.target)]
        self._attempts[key] = attempt
        self._wait(message.ts_us, self._expire, attempt)
        for (trunk, direction), pair in zip(rows, attempt.pairs):
            self._out.count('calltap_trunk_attempts_total', trunk=trunk, direction=direction)
            before_us = self._unanswered.get(pair)
            if before_us is not None and message.ts_us - before_us <= AGAIN_US:
                self._out.count('calltap_trunk_repeated_attempts_total', trunk=trunk, direction=direction)

    def _on_invite_response(self, attempt, message):
        self._expire(attempt, message.ts_us)
        if message.cseq != attempt.cseq or attempt.outcome is not None:
            if message.cseq == attempt.cseq and 200 <= message.status < 300 and message.to_tag != attempt.tag:
                attempt.other_forks.add(message.to_tag)
            return
        code, now_us = message.status, message.ts_us
        if not attempt.has_response:
            attempt.has_response = True
            self._observe(attempt, 'calltap_first_response_seconds', now_us - attempt.first_us)
        if code < 200:
            attempt.has_progress = True
            if code > 100:
                self._srd(attempt, now_us)
            if 180 <= code <= 189 and attempt.ringing_us is None:
                attempt.ringing_us = now_us
                self._observe(attempt, 'calltap_pdd_seconds', now_us - attempt.invite_us)
        elif code in CHALLENGES:
            if attempt.challenge_us is None:
                attempt.challenge, attempt.challenge_us = code, now_us
                self._wait(now_us, self._expire, attempt)
        else:
            self._settle(attempt, outcome_of(code), code, now_us)
            if code < 300:
                self._srd(attempt, now_us)
                attempt.answer_us, attempt.tag = now_us, message.to_tag
                if attempt.ringing_us is not None:
                    self._observe(attempt, 'calltap_ring_seconds', now_us - attempt.ringing_us)
            elif code >= 400 and not attempt.has_srd:
                self._observe(attempt, 'calltap_srd_failed_seconds', now_us - attempt.invite_us)

    def _srd(self, attempt, now_us):
        """Section 4.3.1: the first response that is more than 100."""
        if not attempt.has_srd:
            attempt.has_srd = True
            self._observe(attempt, 'calltap_srd_seconds', now_us - attempt.invite_us)

    def _expire(self, attempt, now_us):
        """What the time that has passed settles."""
        if attempt.outcome is None:
            if attempt.challenge_us is not None:
                if now_us - attempt.challenge_us >= TIMEOUT_US:
                    self._settle(attempt, 'challenged', attempt.challenge, attempt.challenge_us + TIMEOUT_US)
            elif not attempt.has_progress and now_us - attempt.invite_us >= TIMEOUT_US:
                self._settle(attempt, 'unanswered', 0, attempt.invite_us + TIMEOUT_US)
        if attempt.bye_us is not None and not attempt.is_over:
            since_us = attempt.bye_us if attempt.bye_challenge_us is None else attempt.bye_challenge_us
            if now_us - since_us >= TIMEOUT_US:
                self._end(attempt, 'calltap_trunk_byes_failed_total')

    def _settle(self, attempt, outcome, code, now_us):
        attempt.outcome = outcome
        for (trunk, direction), pair in zip(attempt.rows, attempt.pairs):
            self._out.count('calltap_trunk_outcomes_total', trunk=trunk, direction=direction, outcome=outcome)
            if code:
                self._out.count('calltap_final_responses_total', direction=direction, code=str(code))
            if outcome != 'answered':
                self._unanswered[pair] = now_us

    def _on_bye(self, message):
        ends = ((message.source, message.target), (message.target, message.source))
        for source, target in ends:
            attempt = self._attempts.get((message.call_id, source, target))
            if attempt is not None:
                self._expire(attempt, message.ts_us)
                if message.is_request:
                    self._on_bye_request(attempt, message)
                else:
                    self._on_bye_response(attempt, message)
            if source == target:
                return

    def _on_bye_request(self, attempt, message):
        # A fork that answered too is ended while the call goes on (RFC 3261 section 13.2.2.4).
        if attempt.answer_us is None or attempt.other_forks & {message.from_tag, message.to_tag}:
            return
        if not attempt.talk_ended:
            attempt.talk_ended = True
            talk_us = message.ts_us - attempt.answer_us
            self._observe(attempt, 'calltap_sdt_seconds', talk_us)
            for trunk, direction in attempt.rows:
                for under in SHORT:
                    if talk_us < under * 1_000_000:
                        labels = {'trunk': trunk, 'direction': direction, 'under': str(under)}
                        self._out.count('calltap_trunk_short_calls_total', **labels)
        asked = (message.source, message.from_tag, message.cseq)
        is_first = attempt.bye is None
        is_retried = attempt.bye_challenge_us is not None and asked[:2] == attempt.bye[:2] and asked[2] > attempt.bye[2]
        if is_first or is_retried:
            attempt.bye, attempt.bye_us, attempt.bye_challenge_us = asked, message.ts_us, None
            self._wait(message.ts_us, self._expire, attempt)

    def _on_bye_response(self, attempt, message):
        if attempt.bye != (message.target, message.from_tag, message.cseq) or attempt.is_over or message.status < 200:
            return
        if message.status in CHALLENGES:
            if attempt.bye_challenge_us is None:
                attempt.bye_challenge_us = message.ts_us
                self._wait(message.ts_us, self._expire, attempt)
        elif message.status < 300:
            self._end(attempt, 'calltap_trunk_completed_total')
            self._observe(attempt, 'calltap_sdd_seconds', message.ts_us - attempt.bye_us)
        else:
            self._end(attempt, 'calltap_trunk_byes_failed_total')

    def _end(self, attempt, family):
        attempt.is_over = True
        for trunk, direction in attempt.rows:
            self._out.count(family, trunk=trunk, direction=direction)

    def _observe(self, attempt, family, microseconds):
        for trunk in attempt.trunks:
            self._out.observe(family, microseconds, trunk=trunk)

    def answered(self):
        """(Call-ID, source host, target host, attempt) of those that were answered."""
        return [(*key, attempt) for key, attempt in self._attempts.items() if attempt.answer_us is not None]

    # Registrations

    def _on_register(self, message):
        if not message.is_request:
            register = self._registers.get((message.call_id, message.target, message.source))
            if register is not None:
                self._on_register_response(register, message)
            return
        key = (message.call_id, message.source, message.target)
        register = self._registers.get(key)
        if register is not None:
            self._expire_register(register, message.ts_us)
            if message.cseq <= register['cseq']:
                return
        rows = self._trunks.rows(message.source, message.target)
        if rows and (register is None or register['outcome'] is not None):
            register = self._registers[key] = {'rows': rows, 'outcome': None}
        if register is not None:
            register.update(cseq=message.cseq, us=message.ts_us, challenge_us=None, is_leaving=is_leaving(message))
            self._wait(message.ts_us, self._expire_register, register)

    def _on_register_response(self, register, message):
        self._expire_register(register, message.ts_us)
        if message.cseq != register['cseq'] or register['outcome'] is not None or message.status < 200:
            return
        if message.status in CHALLENGES:
            register['challenge_us'] = register['challenge_us'] or message.ts_us
            self._wait(message.ts_us, self._expire_register, register)
        elif message.status < 300:
            self._settle_register(register, 'unregistered' if register['is_leaving'] else 'registered')
            for trunk in sorted({trunk for trunk, _ in register['rows']}):
                delay_us = message.ts_us - register['us']
                self._out.observe('calltap_registration_delay_seconds', delay_us, trunk=trunk)
        else:
            self._settle_register(register, 'failed')

    def _expire_register(self, register, now_us):
        if register['outcome'] is not None:
            return
        if now_us - (register['challenge_us'] or register['us']) >= TIMEOUT_US:
            self._settle_register(register, 'unanswered' if register['challenge_us'] is None else 'challenged')

    def _settle_register(self, register, outcome):
        register['outcome'] = outcome
        self._out.count('calltap_registration_results_total', outcome=outcome)
        for trunk, direction in register['rows']:
            self._out.count('calltap_trunk_registrations_total', trunk=trunk, direction=direction, outcome=outcome)

    # OPTIONS

    def _on_options(self, message):
        if message.is_request:
            key = (message.call_id, message.cseq, message.source, message.target)
            self._options.setdefault(key, message.ts_us)
            return
        key = (message.call_id, message.cseq, message.target, message.source)
        asked_us = self._options.get(key)
        if asked_us is None or message.status < 200:
            return
        self._options[key] = None
        for trunk in sorted({trunk for trunk, _ in self._trunks.rows(message.target, message.source)}):
            self._out.observe('calltap_options_seconds', message.ts_us - asked_us, trunk=trunk)


def is_leaving(message):
    """A registration that is given up (RFC 3261 section 10.2.2)."""
    contacts = [one for header in message.headers.get('contact', []) for one in header.split(',')]
    expires = [one.lower().replace(' ', '').partition(';expires=')[2].partition(';')[0] for one in contacts]
    if any(expires):
        return all(one == '0' for one in expires)
    return message.first('expires').strip() == '0'
