import AppStoreServerAPI
import AppStoreSimulator
import JSON
import System
import Testing

@Suite("The rates of the simulator")
struct RateTests {
    /// Sends the same request until it is refused. Returns how many were taken, and the refusal.
    private func exhaust(_ team: inout Team, _ method: String, _ path: String, _ environment: Environment)
        throws -> (count: Int, refusal: SimulatorAnswer)
    {
        var count = 0
        while true {
            let answer = try team.send(method, path, in: environment)
            if answer.status == 429 { return (count, answer) }
            count += 1
        }
    }

    @Test("are Apple's, for each operation in an hour")
    func budgets() throws {
        var team = try Team()
        #expect(try exhaust(&team, "GET", "/message/list", .sandbox).count == 360)
        #expect(try exhaust(&team, "GET", "/message/list", .production).count == 3600)
        #expect(try exhaust(&team, "PUT", "/default/a/en-US", .sandbox).count == 3600)
        #expect(try exhaust(&team, "GET", "/default/a/en-US", .sandbox).count == 360)
        #expect(try team.send("GET", "/message/list", bundleId: "com.example.other").status == 200)
        #expect(try team.send("GET", "/image/list").status == 200)
    }

    @Test("give the time of the next call in milliseconds since 1970")
    func retryAfter() throws {
        var team = try Team()
        let start = team.now
        #expect(try team.send("GET", "/message/list").status == 200)
        team.now += 10_000
        for _ in 1..<360 { #expect(try team.send("GET", "/message/list").status == 200) }
        let refusal = try team.send("GET", "/message/list")
        #expect(refusal.outcome == "429 4290000")
        #expect(refusal.retryAfterMilliseconds == start + 3_600_000)
        // The hour is rolling: one call is free again, then the others at once. A refused call does not count.
        team.now = start + 3_599_999
        #expect(try team.send("GET", "/message/list").status == 429)
        team.now = start + 3_600_000
        #expect(try team.send("GET", "/message/list").status == 200)
        #expect(try team.send("GET", "/message/list").retryAfterMilliseconds == start + 3_610_000)
        team.now = start + 3_610_000
        for _ in 0..<359 { #expect(try team.send("GET", "/message/list").status == 200) }
        #expect(try team.send("GET", "/message/list").retryAfterMilliseconds == start + 7_200_000)
    }

    @Test(
        "pass faster when the clock is sped up, and Retry-After stays a real time",
        arguments: [7, 1000, 100_000] as [Int64]
    )
    func speed(speed: Int64) throws {
        var team = try Team { $0.speed = speed }
        let start = team.now
        let refusal = try exhaust(&team, "GET", "/message/list", .sandbox).refusal
        let time = try #require(refusal.retryAfterMilliseconds)
        #expect(time == start + (3_600_000 + speed - 1) / speed)
        team.now = time - 1
        #expect(try team.send("GET", "/message/list").status == 429)
        team.now = time
        #expect(try team.send("GET", "/message/list").status == 200)
    }

    @Test("are shown in the counts of calls")
    func counts() throws {
        var team = try Team()
        _ = try exhaust(&team, "GET", "/message/list", .sandbox)
        let calls = team.administer("GET", "state").root?.member("calls")?.member("com.example.app")
        let list = calls?.member("Sandbox")?.member("listMessages")
        #expect(list?.member("200")?.int64 == 360)
        #expect(list?.member("429")?.int64 == 1)
    }
}
