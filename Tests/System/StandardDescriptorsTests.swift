import Support
import System
import Testing

@Suite("Standard descriptors that were closed")
struct StandardDescriptorsTests {
    /// Closes the descriptors with these numbers, occupies the numbers, and opens a file.
    ///
    /// - Returns: the number of that file, and true when standard output accepts a byte.
    private static func open(closing numbers: ClosedRange<Int32>, _ output: StandardDescriptors.Output) throws
        -> (number: Int32, takesOutput: Bool)
    {
        for number in numbers { _ = FileDescriptor(takingOwnership: number) }
        try StandardDescriptors.occupy(output: output)
        let file = try FileDescriptor.openForReading(path: "/proc/self/exe")
        let standardOutput = FileDescriptor(takingOwnership: 1)
        let takesOutput = (try? standardOutput.write([32].span)) != nil
        _ = standardOutput.release()
        return (file.number, takesOutput)
    }

    @Test("are not given to another file, and a daemon may write to them")
    func discards() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let found = try StandardDescriptorsTests.open(closing: 0...2, .discards)
            Processes.exit(found.number > 2 && found.takesOutput ? 0 : 1)
        }
    }

    @Test("are not given to another file, and a program that prints a result gets an error")
    func fails() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let found = try StandardDescriptorsTests.open(closing: 0...2, .fails)
            Processes.exit(found.number > 2 && !found.takesOutput ? 0 : 1)
        }
    }

    @Test("are occupied one by one: descriptors that are open stay open")
    func someOpen() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let found = try StandardDescriptorsTests.open(closing: 2...2, .fails)
            Processes.exit(found.number > 2 && found.takesOutput ? 0 : 1)
        }
    }
}

@Suite("Arguments of a process")
struct ProcessArgumentsTests {
    @Test("are the arguments of its start, including empty arguments")
    func arguments() throws {
        #expect(try ProcessArguments.read() == CommandLine.arguments)
    }
}
