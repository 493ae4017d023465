#!/usr/bin/env escript
%% Talks SIP over TLS by Erlang's ssl.
main(_) ->
    {ok, _} = application:ensure_all_started(ssl),
    Port = list_to_integer(os:getenv("TLS_PORT")),
    {ok, Tls} = ssl:connect("127.0.0.1", Port, [{verify, verify_none}, {active, false}, binary]),
    talk(Tls, 1).

talk(Tls, Number) ->
    Text = string:replace(os:getenv("TLS_MESSAGE"), "NUMBER", integer_to_list(Number), all),
    ok = ssl:send(Tls, Text),
    {ok, _} = ssl:recv(Tls, 0),
    timer:sleep(500),
    talk(Tls, Number + 1).
