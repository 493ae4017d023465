//! Talks SIP over TLS by native-tls, which is OpenSSL's library here.
fn main() {
    let mut builder = native_tls::TlsConnector::builder();
    builder.danger_accept_invalid_certs(true).danger_accept_invalid_hostnames(true);
    let connector = builder.build().expect("connector");
    tls_list::talk(connector.connect("localhost", tls_list::connect()).expect("handshake"));
}
