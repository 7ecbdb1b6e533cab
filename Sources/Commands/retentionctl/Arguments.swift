public import ArgumentParser
public import FactsCompiler
public import HTTPClient
public import Vocabulary

extension Environment: ExpressibleByArgument {}

extension UUID: ExpressibleByArgument {
    /// Reads the 36-character form.
    public init?(argument: String) {
        self.init(argument)
    }
}

extension FactsFormat: ExpressibleByArgument {}

extension HTTPClientConfiguration.ProtocolVersion: ExpressibleByArgument {}

/// A moment on the command line: RFC 3339, or milliseconds since 1970 as Apple writes them.
struct Moment: ExpressibleByArgument {
    let milliseconds: Int64

    init?(argument: String) {
        if let number = Int64(argument) {
            milliseconds = number
        } else if let time = CivilTime(argument) {
            milliseconds = time.milliseconds
        } else {
            return nil
        }
    }
}
