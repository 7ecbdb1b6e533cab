import Support
import Testing

extension ForwardTests {
    @Test("sets aside what a receiver refuses, lists it, and sends it again by name")
    func setAside() throws {
        let world = try World(count: 3)
        let expected = try world.store.lines(of: "bodies")
        world.received.refuse(expected[1])
        let run = try Tool.run(world.words)
        #expect(run.status == 0 && run.output.hasSuffix(": up to number 3, set aside: 1\n"), "\(run)")
        #expect(
            run.errors.contains(
                "notification 2 is set aside, refused five times, the last time with status 400"
            )
        )
        let second = [[UInt8]](repeating: expected[1], count: 5)
        let sent: [[UInt8]] = [expected[0]] + second + [expected[2]]
        #expect(world.received.all == sent)
        let list = try Tool.run(world.words + ["--aside"])
        let lines = list.output.split(separator: "\n")
        #expect(list.status == 0 && lines.count == 1 && list.output.hasSuffix(" status 400\n"), "\(list)")
        #expect(!(list.output + run.output + run.errors).contains("hunter2"))
        let uuid = try #require(lines.first?.split(separator: " ").dropLast(2).last.map(String.init))
        let refused = try Tool.run(world.words + ["--aside", "--again", uuid])
        #expect(refused.status == 69 && refused.output.hasSuffix(" \(uuid) status 400\n"), "\(refused)")
        world.received.refuse(nil)
        #expect(try Tool.run(world.words + ["--aside", "--again", "none"]).status == 1)
        let taken = try Tool.run(world.words + ["--aside", "--again", uuid])
        #expect(taken.status == 0 && taken.output.hasSuffix(" \(uuid) status 200\n"), "\(taken)")
        #expect(world.received.all.last == expected[1])
        #expect(try Tool.run(world.words + ["--aside"]).output.isEmpty)
        #expect(try Tool.run(world.words + ["--aside", "--again", "all"]).status == 1)
    }

    @Test("passes on to a receiver of Production nothing of Sandbox")
    func filtered() throws {
        let world = try World(count: 3, filter: #", "environments": ["Production"]"#)
        let run = try Tool.run(world.words)
        #expect(
            run.status == 0
                && run.output.hasSuffix(": up to number 3, set aside: 0; only environments Production\n"),
            "\(run)"
        )
        #expect(world.received.all.isEmpty)
    }
}
