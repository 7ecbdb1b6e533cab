import AppStoreSimulator
import CertificateAuthority
import Support
import System
import Testing

extension DaemonTests {
    @Test("shows how far its clock is behind the dates that Apple signs, and tells that somebody set it")
    func clock() throws {
        let forge = try ZooForge(now: Clock.wallMilliseconds())
        let library = try PreloadedLibrary.settingWallClock()
        let pool = try PoolProcess()
        let clock = pool.folder.path(of: "clock")
        try pool.folder.write(forge.trusted.chain.root.pem, to: "anchor.pem")
        try pool.configure(#", "workers": 1, "anchors": ["\#(pool.folder.path(of: "anchor.pem"))"]"#)
        try pool.start(environment: [library.environment, "WALL_CLOCK=\(clock)"])
        let payload = TestPayload.request(signedDate: Clock.wallMilliseconds() + 20_000, identifier: 1)
        let answer = try pool.ask(forge.body(payload.setting("appAppleId", "1")))
        #expect(answer.contains(#""code":"no-answer""#), "\(answer)")
        let offset = try #require(try pool.status()["signed date offset"].flatMap { Int64($0) })
        #expect(offset > 0 && offset <= 20_000)

        // The pool looks at its clocks every two seconds, and knows of no jump before its first look.
        Clock.sleep(milliseconds: 3_000)
        try AtomicFile.write(Array("-3600".utf8).span, to: clock)
        let jump = try PoolProcess.number("milliseconds", in: pool.wait(for: "code=clock-jumped"))
        // The two clocks are read one after the other, so the figure is not exact.
        #expect(jump < -1_800_000, "\(jump)")
        #expect(try pool.status()["clock_jumps"] == "1")
    }
}
