import JSON
import NotificationStore
import SQL
import Support
import System
import Testing

/// Whatever ends a build, at any moment: the old file or the new one is whole, and the next build gives the bytes of one that
/// nothing disturbed.
@Suite("A signal while facts are built", .timeLimit(.minutes(5)))
struct FactsBuildInterruptTests {
    /// Where the signal finds the build.
    enum Point: Sendable, CaseIterable {
        /// The build waits because another one derives states.
        case locked
        /// The build has read rows, and waits because another program writes to the store.
        case writing
        /// The same while it deletes the states of the build before.
        case deleting
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

        func words(_ more: [String], to name: String = "app.facts") -> [String] {
            [
                "facts", "build", "--store", address, "--schema", world.folder.path(of: "rules.json"),
                "--built",
                "\(world.now)", "-o", world.folder.path(of: "facts/" + name),
            ] + more
        }

        func build(_ more: [String] = [], to name: String = "app.facts") throws -> [UInt8] {
            let run = try Tool.run(words(more, to: name))
            #expect(run.status == 0, "\(run.errors)")
            return try world.folder.read("facts/" + name)
        }

        /// Starts a build, sends it a signal after some time, and waits for its end.
        func interrupt(_ more: [String], after milliseconds: Int64, _ signal: Signal) throws -> ChildExit? {
            let tool = try ProgramRun.product("retentionctl")
            let output = try FileDescriptor.create(path: world.folder.path(of: "output"), permissions: 0o600)
            var child = ChildProcess(
                executable: tool,
                arguments: [tool] + words(more),
                environment: ["PATH=/usr/bin:/bin", "LANG=C"]
            )
            child.descriptors = [(output.number, 1), (output.number, 2)]
            let number = try child.start()
            Clock.sleep(milliseconds: milliseconds)
            try Processes.send(signal, to: number)
            let exit = Processes.wait(for: number)
            try Directory.removeFile(path: world.folder.path(of: "output"))
            return exit
        }

        /// Does something while another program is in the way of the build.
        func withObstacle<Value>(_ point: Point, _ body: () throws -> Value) throws -> Value {
            switch point {
            case .locked:
                let store = try NotificationStore(StoreAddress(address), StoreOptions(access: .write))
                let lock = try store.lockStates(app: "com.example.app", environment: "Sandbox")
                defer { withExtendedLifetime(store) {} }
                let value = try body()
                try lock.release()
                return value
            case .writing, .deleting:
                let path = String(address.dropFirst("sqlite:".count))
                let connection = try SQLiteConnection(path: path, SQLiteOptions(access: .write))
                try connection.begin(isWriting: true)
                defer { connection.rollback() }
                return try body()
            case .early, .late: return try body()
            }
        }
    }

    @Test(
        "leaves a whole file and states with which the next build gives the same bytes",
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
            let delay = [Point.early: duration / 3, .late: duration * 2 / 3][point] ?? duration
            let exit = try bed.withObstacle(point) {
                try bed.interrupt(
                    point == .deleting || point == .late ? ["--full"] : [],
                    after: delay,
                    signal
                )
            }
            let left = try bed.world.folder.read("facts/app.facts")
            // A build in whose way something stands does not get to its file.
            if point != .early, point != .late {
                #expect(exit != .exited(0) && left == old, "\(point): \(exit)")
            }
            if point == .locked { #expect(exit == .signalled(signal.rawValue)) }
            let next = try bed.build()
            #expect(left == old || left == next, "\(point)")
            #expect(try bed.build(["--full"], to: "full.facts") == next, "\(point)")
            old = next
        }
    }
}
