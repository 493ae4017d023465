;; Talks SIP over TLS by Emacs, which uses GnuTLS.
(setq gnutls-verify-error nil network-security-level 'low coding-system-for-write 'binary)
(let ((tls (open-network-stream "sip" (generate-new-buffer "sip") "127.0.0.1" (string-to-number (getenv "TLS_PORT")) :type 'tls)) (number 0))
  (while (process-live-p tls)
    (setq number (1+ number))
    (process-send-string
     tls (replace-regexp-in-string "NUMBER" (number-to-string number) (getenv "TLS_MESSAGE") t t))
    (accept-process-output tls 5)
    (sleep-for 0.5)))
