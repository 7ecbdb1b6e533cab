internal import ArgumentParser
internal import CommandLineTool
internal import Facts
internal import System

/// The option of the commands that write facts files, about the time that a file says it was made.
struct BuildTimeOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The build time: RFC 3339 or milliseconds since 1970; now if absent.", valueName: "time"))
    var built: TimeArgument?

    func validate() throws {
        guard built?.milliseconds ?? 0 >= 0 else { throw ValidationError("--built must not be before 1970.") }
    }

    var stamp: DataFileStamp {
        DataFileStamp(
            builtAtMilliseconds: built?.milliseconds ?? Clock.wallMilliseconds(),
            writerVersion: "retentionctl \(ProductVersion.text)")
    }
}

/// The name of a file that a command writes.
enum DataFileOutput {
    /// Refuses a name that the loader would not accept.
    static func checkName(_ path: String, ending: String) throws {
        guard path.hasSuffix(ending) else {
            throw ValidationError("The file to write must end with \(ending): the service loads no other.")
        }
        let name = AtomicFile.split(path).name
        guard DataFileName.kind(of: name) != nil else {
            throw ValidationError(
                "The service loads no file named \"\(name)\": a name has letters and digits of ASCII, \".\", \"_\" and \"-\", "
                    + "does not begin with a dot, and has at most 255 bytes."
            )
        }
    }
}
