import JSON
import Support
import System
import Testing

/// Whatever ends a build, at any moment: the old file or the new one is whole.
@Suite("A signal while facts are built", .timeLimit(.minutes(5)))
struct FactsBuildInterruptTests {
    /// Where the signal finds the build.
    private enum Point: CaseIterable {
        /// After a third of the time that a build takes.
        case early
        /// After two thirds of that time.
        case late
    }

    /// A store, and the words of a build for a fixed time, so that equal rows give equal bytes.
    private struct Bed {
        let world: StoreWorld
        let address: String

        init() throws {
            world = try StoreWorld()
            address = try world.filled(.sqlite, count: 40)
            try world.folder.makeDirectory("facts")
            try world.folder.write(
                """
                {"app": {"appAppleId": 531412, "bundleId": "com.example.app"}, "environment": "Sandbox",
                 "facts": {"currentProductId": "string", "status": "string", "price": "int"}}
                """,
                to: "rules.json"
            )
        }

        func words() -> [String] {
            [
                "facts", "build", "--store", address, "--schema", world.folder.path(of: "rules.json"),
                "--built",
                "\(world.now)", "-o", world.folder.path(of: "facts/app.facts"),
            ]
        }

        func build() throws -> [UInt8] {
            let run = try Tool.run(words())
            #expect(run.status == 0, "\(run.errors)")
            return try world.folder.read("facts/app.facts")
        }

        /// Starts a build, sends it a signal after some time, and waits for its end.
        func interrupt(after milliseconds: Int64, _ signal: Signal) throws {
            let tool = try ProgramRun.product("retentionctl")
            let output = try FileDescriptor.create(path: world.folder.path(of: "output"), permissions: 0o600)
            var child = ChildProcess(
                executable: tool, arguments: [tool] + words(), environment: ["PATH=/usr/bin:/bin", "LANG=C"])
            child.descriptors = [(output.number, 1), (output.number, 2)]
            let number = try child.start()
            Clock.sleep(milliseconds: milliseconds)
            try Processes.send(signal, to: number)
            _ = Processes.wait(for: number)
            try Directory.removeFile(path: world.folder.path(of: "output"))
        }
    }

    @Test(
        "leaves a whole file",
        arguments: [Signal.kill, .terminate]
    )
    func interrupted(signal: Signal) throws {
        let bed = try Bed()
        let start = Clock.monotonicNanoseconds()
        var old = try bed.build()
        let duration = Int64((Clock.monotonicNanoseconds() - start) / 1_000_000)
        for (round, point) in Point.allCases.enumerated() {
            let numbers = 40 + round * 3..<43 + round * 3
            try bed.world.take(bed.world.bodies(numbers, to: "more"), into: bed.address)
            try bed.interrupt(after: point == .early ? duration / 3 : duration * 2 / 3, signal)
            let left = try bed.world.folder.read("facts/app.facts")
            let next = try bed.build()
            #expect(left == old || left == next, "\(point)")
            old = next
        }
    }
}
