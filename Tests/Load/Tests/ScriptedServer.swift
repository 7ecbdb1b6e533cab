import CertificateAuthority
import Glibc
import HTTPLoad
import Support
import Synchronization
import System

/// A server on 127.0.0.1, plain or TLS, that plays a script on each connection.
final class ScriptedServer: Sendable {
    enum Step: Sendable {
        /// Reads a whole request.
        case read
        /// Sends these bytes.
        case send(String)
        /// Holds back all bytes from now on, so that they leave in one segment together with the end of the connection.
        case cork
        /// Waits.
        case pause(milliseconds: UInt32)
        /// Goes back to the first step.
        case again
        /// Waits until the client closes the connection.
        case hang
    }

    let port: UInt16
    /// The self-signed certificate of the server; nil for a plain server.
    let certificate: TLSServerFiles?
    private let listener: Int32
    private let script: [Step]
    private let connections = Atomic<Int>(0)

    /// Begins to listen. The server closes each connection after the last step of the script.
    init(_ script: [Step], certificate: TLSServerFiles? = nil) throws {
        self.script = script
        self.certificate = certificate
        signal(SIGPIPE, SIG_IGN)
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0, backlog: 128)
        port = socket.port
        listener = dup(socket.descriptor.number)
        // The thread waits in accept(2).
        _ = fcntl(listener, F_SETFL, 0)
        BackgroundThread.start { self.accept() }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The number of connections that the server has accepted.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    func plan(_ requests: [[UInt8]] = [RequestText.get("/")], connections: Int = 1) throws -> LoadPlan {
        let trust = try certificate?.trust()
        return LoadPlan(port: port, connections: connections, requests: requests).with { $0.tls = trust }
    }

    private func accept() {
        while true {
            let socket = Glibc.accept(listener, nil, nil)
            guard socket >= 0 else { break }
            connections.add(1, ordering: .relaxed)
            BackgroundThread.start {
                guard let stream = ServerStream(socket, certificate: self.certificate) else { return }
                self.play(stream)
            }
        }
        close(listener)
    }

    private func play(_ stream: ServerStream) {
        var index = 0
        while index < script.count {
            switch script[index] {
            case .read: guard stream.readRequest() else { return }
            case .send(let text): guard stream.write(Array(text.utf8)) else { return }
            case .cork: stream.cork()
            case .pause(let milliseconds): usleep(milliseconds * 1000)
            case .hang: _ = stream.readRequest()
            case .again: index = -1
            }
            index += 1
        }
    }
}
