internal import JSON
internal import Vocabulary

/// A request of one operation, without the server and the token.
struct APICall {
    let operation: AppStoreServerOperation
    let method: String
    /// The path and the query behind the base URL.
    let path: String
    var contentType: String?
    var body: [UInt8]?

    init(_ operation: AppStoreServerOperation, _ method: String, path: String) {
        self.operation = operation
        self.method = method
        self.path = path
    }

    private init(_ operation: AppStoreServerOperation, _ method: String, _ path: String) {
        self.init(operation, method, path: "/inApps/v1/messaging" + path)
    }

    private init(
        _ operation: AppStoreServerOperation, _ method: String, _ path: String, json: [(String, JSONNode)]
    ) {
        self.init(operation, method, path)
        contentType = "application/json"
        body = JSONNode.object(json).serialized()
    }

    static func uploadImage(_ png: [UInt8], _ identifier: UUID, _ size: ImageSize) -> APICall {
        var call = APICall(.uploadImage, "PUT", "/image/\(identifier)?imageSize=\(size.rawValue)")
        call.contentType = "image/png"
        call.body = png
        return call
    }

    static func deleteImage(_ identifier: UUID) -> APICall {
        APICall(.deleteImage, "DELETE", "/image/\(identifier)")
    }

    static let listImages = APICall(.listImages, "GET", "/image/list")

    static func uploadMessage(_ message: UploadMessageRequestBody, _ identifier: UUID) -> APICall {
        var call = APICall(.uploadMessage, "PUT", "/message/\(identifier)")
        call.contentType = "application/json"
        call.body = message.json
        return call
    }

    static func deleteMessage(_ identifier: UUID) -> APICall {
        APICall(.deleteMessage, "DELETE", "/message/\(identifier)")
    }

    static let listMessages = APICall(.listMessages, "GET", "/message/list")

    static func setDefault(_ identifier: UUID, _ productId: String, _ locale: String) throws(InvalidArgument)
        -> APICall
    {
        let path = try defaultPath(productId, locale)
        let message = JSONNode.string(identifier.description)
        return APICall(.setDefault, "PUT", path, json: [("messageIdentifier", message)])
    }

    static func getDefault(_ productId: String, _ locale: String) throws(InvalidArgument) -> APICall {
        APICall(.getDefault, "GET", try defaultPath(productId, locale))
    }

    static func deleteDefault(_ productId: String, _ locale: String) throws(InvalidArgument) -> APICall {
        APICall(.deleteDefault, "DELETE", try defaultPath(productId, locale))
    }

    static func setURL(_ url: String) -> APICall {
        APICall(.setURL, "PUT", "/realtime/url", json: [("realtimeURL", .string(url))])
    }

    static let getURL = APICall(.getURL, "GET", "/realtime/url")

    static let deleteURL = APICall(.deleteURL, "DELETE", "/realtime/url")

    static func startTest(_ originalTransactionId: String) -> APICall {
        let identifier = JSONNode.string(originalTransactionId)
        return APICall(.startTest, "POST", "/performanceTest", json: [("originalTransactionId", identifier)])
    }

    static func getTestResult(_ requestId: String) throws(InvalidArgument) -> APICall {
        let segment = try PathSegment.encoded(requestId, name: "requestId")
        return APICall(.getTestResult, "GET", "/performanceTest/result/\(segment)")
    }

    private static func defaultPath(_ productId: String, _ locale: String) throws(InvalidArgument) -> String {
        let product = try PathSegment.encoded(productId, name: "productId")
        return "/default/\(product)/\(try PathSegment.encoded(locale, name: "locale"))"
    }
}
