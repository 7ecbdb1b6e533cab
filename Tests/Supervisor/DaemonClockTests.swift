import AppStoreSimulator
import CertificateAuthority
import Support
import System
import Testing

extension DaemonTests {
    @Test(
        "tells that its clock is slow or fast, by the dates that Apple signs, and that somebody set it",
        arguments: [(20_000, "clock-behind"), (-20_000, "clock-ahead")]
    )
    func clock(ahead: Int64, code: String) throws {
        let forge = try ZooForge(now: Clock.wallMilliseconds())
        let library = try PreloadedLibrary.settingWallClock()
        let pool = try PoolProcess()
        let clock = pool.folder.path(of: "clock")
        try pool.folder.write(forge.trusted.chain.root.pem, to: "anchor.pem")
        try pool.configure(#", "workers": 1, "anchors": ["\#(pool.folder.path(of: "anchor.pem"))"]"#)
        try pool.start(environment: [library.environment, "WALL_CLOCK=\(clock)"])
        // The median is known from 16 requests on.
        for number in 1...16 {
            let date = Clock.wallMilliseconds() + ahead
            let payload = TestPayload.request(signedDate: date, identifier: number)
            let answer = try pool.ask(forge.body(payload.setting("appAppleId", "1")))
            #expect(answer.contains(#""code":"no-answer""#), "\(answer)")
        }
        let line = try pool.wait(for: "code=clock-")
        #expect(line.contains(" warning ") && line.contains("code=\(code) "), "\(line)")
        let offset = Int64(try PoolProcess.number("milliseconds", in: line))
        #expect(offset <= ahead && (offset > 0) == (ahead > 0), "\(line)")
        #expect(try pool.status()["signed date offset"] == "\(offset)")

        let seconds = ahead > 0 ? 3600 : -3600
        try AtomicFile.write(Array("\(seconds)".utf8).span, to: clock)
        let jump = try PoolProcess.number("milliseconds", in: pool.wait(for: "code=clock-jumped"))
        // The two clocks are read one after the other, so the figure is not exact.
        #expect(Int(jump).magnitude > 1_800_000 && (jump > 0) == (seconds > 0), "\(jump)")
        // What was learned before the jump says nothing any more.
        #expect(Patience.wait(seconds: 60) { (try? pool.status())?["signed date offset"] == nil })
        #expect(try pool.status()["clock_jumps"] == "1")
        #expect(pool.lines.count { $0.contains("code=\(code) ") } == 1)
    }
}
