import Support
import System
import Testing

extension EndToEnd {
    @Suite("The units of systemd")
    struct UnitTests {
        private static let analyze = "/usr/bin/systemd-analyze"

        @Test("are accepted by systemd", .enabled(if: (try? FileStatus(path: analyze)) != nil))
        func verified() throws {
            let folder = try TemporaryDirectory()
            let units = [
                ("retentiond", try Programs.daemon()), ("retentiond-recorder", try Programs.recorder()),
            ]
            .flatMap { name, program in [".service", ".socket"].map { (name + $0, name, program) } }
            for (unit, name, program) in units {
                let text = String(
                    decoding: try SourceFile.read(SourceFile.root + "/examples/" + unit), as: UTF8.self)
                #expect(text.contains("ExecStart=/usr/bin/\(name)\n") == unit.hasSuffix("service"))
                try folder.write(text.replacing("/usr/bin/\(name)", with: program), to: unit)
            }
            for (unit, _, _) in units {
                let run = try Programs.run(Self.analyze, ["verify", "--man=no", folder.path(of: unit)])
                #expect(run.status == 0 && run.errors.isEmpty, "\(unit): \(run.errors)")
            }
        }
    }
}
