import Support
import System
import Testing

@Suite("Standard descriptors that were closed")
struct StandardDescriptorsTests {
    /// Closes the numbers, has them occupied, and opens a file.
    ///
    /// - Returns: the number of that file, and whether standard output takes something.
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

    @Test("are given to no file, and a daemon may write to them")
    func discards() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let found = try StandardDescriptorsTests.open(closing: 0...2, .discards)
            Processes.exit(found.number > 2 && found.takesOutput ? 0 : 1)
        }
    }

    @Test("are given to no file, and a program that prints a result sees that it cannot")
    func fails() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let found = try StandardDescriptorsTests.open(closing: 0...2, .fails)
            Processes.exit(found.number > 2 && !found.takesOutput ? 0 : 1)
        }
    }

    @Test("are occupied one by one: those that are open stay")
    func someOpen() async {
        await #expect(processExitsWith: .exitCode(0)) {
            let found = try StandardDescriptorsTests.open(closing: 2...2, .fails)
            Processes.exit(found.number > 2 && found.takesOutput ? 0 : 1)
        }
    }
}

@Suite("Arguments of a process")
struct ProcessArgumentsTests {
    @Test("are those that it was started with, empty ones too")
    func arguments() throws {
        #expect(try ProcessArguments.read() == CommandLine.arguments)
    }
}
