internal import AppStoreServerAPI
internal import ArgumentParser
internal import CommandLineTool
internal import JSON
internal import System

struct AppleAPI: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Performs one operation of Apple's API and prints the JSON of its answer.",
        discussion: """
            The operations, with the parameters of their paths:
            \(operations)

            A field that is no parameter of the path goes into the JSON of the request. In an operation that only reads or \
            deletes, or with --input, it goes into the query. --input is the whole body: a message in JSON, or an image. An \
            operation that changes something asks first, unless --confirm is given. When the answer to an upload or a \
            delete is lost, the command looks into the list before it tries again.

            Examples:
              retentionctl apple api uploadMessage \\
                -f messageIdentifier=6584bedf-2ed0-4c01-93ed-c0c64a1670cc \\
                -f header='Stay for less' -f body='Half the price.' \\
                --environment Sandbox
              retentionctl apple api uploadImage --input hero.png \\
                -f imageIdentifier=0f8b7c1e-3f0a-4f7e-9f5e-7a1d2c3b4a59 \\
                -f imageSize=FULL_SIZE --environment Sandbox
              retentionctl apple api getDefault -f productId=pro_monthly \\
                -f locale=en-US --environment Production
            """
    )

    private static let operations = AppStoreServerOperation.allCases.map { operation in
        (["  \(operation.rawValue)"] + operation.parameters).joined(separator: " ")
    }.joined(separator: "\n")

    @Argument(help: "The operation.")
    var operation: AppStoreServerOperation

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A parameter, or a text in the request.", valueName: "name=value"))
    var field: [NamedValue] = []

    @Option(help: "A file with the body of the request; - for standard input.", completion: .file())
    var input: String?

    @OptionGroup var consent: ConfirmOption
    @OptionGroup var apple: AppleOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var body = try input.map { try read($0) }
        var parameters = field
        if body == nil, ["PUT", "POST"].contains(operation.method) {
            parameters = field.filter { operation.parameters.contains($0.name) }
            let members = field.filter { !operation.parameters.contains($0.name) }
            if !members.isEmpty {
                body = JSONNode.object(members.map { ($0.name, .string($0.value)) }).serialized()
            }
        }
        let session = try apple.session()
        if !operation.onlyReads {
            let names = field.map { " \($0.name)=\($0.value)" }.joined()
            try consent.ask("\(operation.name)\(names) for \(session.placeToChange)")
        }
        let answer = try session.client.perform(
            operation, parameters.map { ($0.name, $0.value) }, body: body)
        if answer.outcome == .foundAfterwards {
            Console.log("the answer was lost; Apple's list shows that it was done")
        }
        if let document = answer.document { Console.print(JSONNode(document)) }
    }

    private func read(_ file: String) throws -> [UInt8] {
        let body = try Input.read(file)
        guard operation != .uploadImage else { return body }
        _ = try ToolError.about(file) {
            try JSONDocument(parsing: body.span, limits: JSONLimits(byteCount: 1 << 20, depth: 16))
        }
        return body
    }
}
