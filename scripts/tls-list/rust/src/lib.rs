//! Sends SIP on a stream that speaks TLS, and reads the answers.
use std::io::{Read, Write};
use std::net::TcpStream;

pub fn connect() -> TcpStream {
    let port = std::env::var("TLS_PORT").expect("TLS_PORT");
    TcpStream::connect(format!("127.0.0.1:{port}")).expect("connect")
}

pub fn talk(mut tls: impl Read + Write) {
    let message = std::env::var("TLS_MESSAGE").expect("TLS_MESSAGE");
    let mut buffer = [0; 4096];
    for number in 1.. {
        tls.write_all(message.replace("NUMBER", &format!("{number}")).as_bytes()).expect("write");
        tls.flush().expect("flush");
        assert!(tls.read(&mut buffer).expect("read") > 0);
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
}
