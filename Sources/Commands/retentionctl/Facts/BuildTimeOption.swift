internal import ArgumentParser
internal import CommandLineTool
internal import Facts
internal import System

/// The option of the commands that write facts files, about the time that a file says it was made.
struct BuildTimeOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The build time: RFC 3339 or milliseconds since 1970; SOURCE_DATE_EPOCH or now if absent.",
            valueName: "time")
    )
    var built: TimeArgument?

    func validate() throws {
        guard built?.milliseconds ?? 0 >= 0 else { throw ValidationError("--built must not be before 1970.") }
    }

    /// Returns the stamp from the option, the environment and the clock.
    func stamp() throws -> DataFileStamp {
        let given: Int64? = if let built { built.milliseconds } else { try Self.sourceDateEpoch() }
        let builtAt = given ?? Clock.wallMilliseconds()
        return DataFileStamp(
            builtAtMilliseconds: builtAt, writerVersion: "retentionctl \(ProductVersion.text)")
    }

    /// Returns the value of SOURCE_DATE_EPOCH (reproducible-builds.org/specs/source-date-epoch), which is in seconds
    /// since 1970, as milliseconds; nil when it is not set.
    private static func sourceDateEpoch() throws -> Int64? {
        guard let text = ProcessEnvironment.value(of: "SOURCE_DATE_EPOCH") else { return nil }
        guard let seconds = Int64(text), (0...Int64(253_402_300_799)).contains(seconds) else {
            throw ToolError(
                code: "compile.bad-source-date-epoch",
                "SOURCE_DATE_EPOCH is not a number of seconds since 1970")
        }
        return seconds * 1000
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
