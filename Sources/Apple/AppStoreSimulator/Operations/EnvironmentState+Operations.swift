internal import AppStoreServerAPI
internal import JSON
internal import System

extension EnvironmentState {
    /// Performs an operation that needs nothing but the state of this environment.
    mutating func perform(_ call: Call) throws(SimulatorProblem) -> SimulatorAnswer {
        let parameters = call.route.parameters
        switch call.route.operation {
        case .uploadImage: return try uploadImage(parameters[0], call)
        case .deleteImage: return try deleteImage(parameters[0])
        case .listImages: return imageList
        case .uploadMessage: return try uploadMessage(parameters[0], call)
        case .deleteMessage: return try deleteMessage(parameters[0])
        case .listMessages: return messageList
        case .setDefault: return try setDefault(Self.place(parameters[0], parameters[1]), call)
        case .getDefault: return try getDefault(Self.place(parameters[0], parameters[1]))
        case .deleteDefault:
            defaults[try Self.place(parameters[0], parameters[1])] = nil
            return SimulatorAnswer()
        case .getURL:
            guard let realtimeURL else { throw .apple(.realtimeURLNotFound) }
            return SimulatorAnswer(.object([("realtimeURL", .string(realtimeURL))]))
        case .deleteURL:
            realtimeURL = nil
            return SimulatorAnswer()
        default: throw .noOperation
        }
    }

    /// Reads an identifier of the path.
    static func identifier(_ text: String) throws(SimulatorProblem) -> UUID {
        guard let identifier = UUID(text) else { throw .badRequest }
        return identifier
    }

    /// Reads a JSON body whose root is an object.
    static func object(_ request: SimulatorRequest) throws(SimulatorProblem) -> JSONValue {
        let limits = JSONLimits(byteCount: SimulatorLimits.jsonByteCount, depth: SimulatorLimits.jsonDepth)
        guard request.hasMediaType("application/json"), let body = request.body,
            let root = try? JSONDocument(parsing: body.span, limits: limits).root, root.kind == .object
        else { throw .badRequest }
        return root
    }
}
