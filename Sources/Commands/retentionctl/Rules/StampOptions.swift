internal import ArgumentParser
internal import DataFileWriting
internal import DataFiles
internal import System
internal import Vocabulary

/// The option of the commands that write data files, about the time that a file says it was made.
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
    func stamp(generation: Int64? = nil) throws(ToolFailure) -> DataFileStamp {
        let given: Int64? = if let built { built.milliseconds } else { try Self.sourceDateEpoch() }
        let builtAt = given ?? Clock.wallMilliseconds()
        return DataFileStamp(
            generation: generation, builtAtMilliseconds: builtAt, writerVersion: StampOptions.writerVersion)
    }

    /// Returns the value of SOURCE_DATE_EPOCH (reproducible-builds.org/specs/source-date-epoch), which is in seconds
    /// since 1970, as milliseconds; nil when it is not set.
    private static func sourceDateEpoch() throws(ToolFailure) -> Int64? {
        guard let text = ProcessEnvironment.value(of: "SOURCE_DATE_EPOCH") else { return nil }
        guard let seconds = Int64(text), (0...Int64(253_402_300_799)).contains(seconds) else {
            throw ToolFailure(
                .badData, code: "compile.bad-source-date-epoch",
                "SOURCE_DATE_EPOCH is not a number of seconds since 1970")
        }
        return seconds * 1000
    }
}

/// The options of the commands that write rules files, about the stamp: generation, build time and writer.
struct StampOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The generation, which says which of two files is newer; the build time in milliseconds if absent.",
            valueName: "number")
    )
    var generation: Int64?

    @OptionGroup var time: BuildTimeOption

    func validate() throws {
        guard generation ?? 1 > 0 else { throw ValidationError("--generation must be at least 1.") }
    }

    /// The name and version of this program, which files record as their writer.
    static let writerVersion = "retentionctl \(ProductVersion.text)"

    /// Returns the stamp from the options, the environment and the clock.
    func stamp() throws(ToolFailure) -> DataFileStamp { try time.stamp(generation: generation) }

    /// Refuses a name of an output file that the loader would not accept.
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
