import AppStoreSimulator
import CertificateAuthority
import Support
import System
import Testing

extension DaemonTests {
    @Test("logs once that an anchor ends within 30 days, and nothing about one that ends later")
    func certificates() throws {
        let day: Int64 = 86_400_000
        let now = Clock.wallMilliseconds()
        let pool = try PoolProcess()
        var anchors: [String] = []
        for (name, days) in [("soon", 10), ("later", 40)] as [(String, Int64)] {
            let chain = try AppleShapedChain.make(
                notBeforeMilliseconds: now - day, notAfterMilliseconds: now + days * day + day / 2)
            try pool.folder.write(chain.root.pem, to: "\(name).pem")
            anchors.append("\"\(pool.folder.path(of: "\(name).pem"))\"")
        }
        try pool.configure(#", "workers": 2, "anchors": [\#(anchors.joined(separator: ", "))]"#)
        try pool.start()
        let line = try pool.wait(for: "code=certificate-ends-soon")
        #expect(line.contains(" warning ") && line.contains("days=10 ") && line.contains("position=anchor"))
        let status = try pool.status()
        #expect(status["anchor ends"] != nil, "\(status)")
        try pool.send(.hangup)
        try pool.wait(for: "message=\"reload accepted\"")
        #expect(pool.lines.count { $0.contains("code=certificate-ends-soon") } == 1)
    }
}
