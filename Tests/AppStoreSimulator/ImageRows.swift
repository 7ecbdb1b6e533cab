import AppStoreServerAPI
import AppStoreSimulator
import System
import Testing

/// The rows of the three operations on images.
enum ImageRows {
    private static let path = "/image/\(Sample.image)"
    private static let bullet = path + "?imageSize=BULLET_POINT"

    static let all = uploads + deletes + lists

    private static func refused(_ body: TestBody, _ target: String = path) -> OperationRow {
        OperationRow(.uploadImage, "400 4000161", "PUT", target, body)
    }

    private static let uploads: [OperationRow] = [
        OperationRow(.uploadImage, "200", "PUT", path, .png(HeadedPNG.full)),
        OperationRow(
            .uploadImage, "200", "PUT", path + "?imageSize=FULL_SIZE", .png(HeadedPNG.full), in: .production),
        OperationRow(.uploadImage, "200", "PUT", path, .png(HeadedPNG.make(width: 3840, height: 2160))),
        OperationRow(.uploadImage, "200", "PUT", bullet, .png(HeadedPNG.bullet)),
        OperationRow(
            .uploadImage, "200", "PUT", path.uppercased().replacing("/IMAGE", with: "/image"),
            .png(HeadedPNG.full)),
        OperationRow(.uploadImage, "400 4000000", "PUT", "/image/hero", .png(HeadedPNG.full)),
        OperationRow(.uploadImage, "400 4000000", "PUT", "/image/list", .png(HeadedPNG.full)),
        refused(.none), refused(.json("{}")), refused(.raw("image/png", nil)),
        refused(.raw("image/jpeg", HeadedPNG.full)),
        refused(.raw(nil, HeadedPNG.full)), refused(.png([])), refused(.png(Array(HeadedPNG.full.dropLast()))),
        refused(.png(HeadedPNG.make(width: 3839, height: 160))),
        refused(.png(HeadedPNG.make(width: 3841, height: 160))),
        refused(.png(HeadedPNG.make(width: 3840, height: 159))),
        refused(.png(HeadedPNG.make(width: 3840, height: 2161))),
        refused(.png(HeadedPNG.make(width: 3840, height: 160, colour: 6))), refused(.png(HeadedPNG.bullet)),
        refused(.png(HeadedPNG.full), bullet), refused(.png(HeadedPNG.make(width: 1024, height: 1023)), bullet),
        refused(.png(HeadedPNG.full), path + "?imageSize=LARGE"),
        refused(.png(HeadedPNG.full), path + "?imageSize="),
        refused(.png(HeadedPNG.full), path + "?imageSize=FULL_SIZE&imageSize=FULL_SIZE"),
        OperationRow(.uploadImage, "409 4090000", "PUT", path, .png(HeadedPNG.full)) {
            try $0.upload(in: .sandbox)
        },
        OperationRow(.uploadImage, "200", "PUT", path, .png(HeadedPNG.full)) { try $0.upload(in: .production) },
        OperationRow(.uploadImage, "200", "PUT", path, .png(HeadedPNG.full), bundleId: "com.example.other") {
            try $0.upload(in: .sandbox)
        },
        OperationRow(.uploadImage, "409 4090000", "PUT", path, .png(HeadedPNG.full)) { team in
            _ = try team.send("PUT", path, .png(HeadedPNG.full))
            #expect(try team.send("DELETE", path).status == 200)
        },
        OperationRow(.uploadImage, "403 4030014", "PUT", path, .png(HeadedPNG.full), in: .production) { team in
            for number in 0..<2000 {
                let target = "/image/\(Sample.identifier(number))"
                let answer = try team.send("PUT", target, .png(HeadedPNG.full), in: .production)
                #expect(answer.status == 200)
            }
        },
    ]

    private static let deletes: [OperationRow] = [
        OperationRow(.deleteImage, "200", "DELETE", path) {
            _ = try $0.send("PUT", path, .png(HeadedPNG.full))
        },
        OperationRow(.deleteImage, "400 4000000", "DELETE", "/image/hero"),
        OperationRow(.deleteImage, "404 4040014", "DELETE", path),
        OperationRow(.deleteImage, "404 4040014", "DELETE", path, in: .production) {
            try $0.upload(in: .sandbox)
        },
        OperationRow(.deleteImage, "403 4030019", "DELETE", path) { try $0.upload(in: .sandbox) },
        OperationRow(.deleteImage, "403 4030019", "DELETE", "/image/\(Sample.bullet)") {
            try $0.upload(in: .sandbox)
        },
        OperationRow(.deleteImage, "200", "DELETE", path) { team in
            try team.upload(in: .sandbox)
            #expect(try team.send("DELETE", "/message/\(Sample.message)").status == 200)
        },
    ]

    private static let lists: [OperationRow] = [
        OperationRow(.listImages, "200", "GET", "/image/list"),
        OperationRow(.listImages, "200", "GET", "/image/list?x=1", in: .production),
    ]
}
