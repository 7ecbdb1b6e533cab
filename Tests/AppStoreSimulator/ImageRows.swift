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
        OperationRow(.uploadImage, "200", "PUT", path, .png(TestPNG.full)),
        OperationRow(
            .uploadImage, "200", "PUT", path + "?imageSize=FULL_SIZE", .png(TestPNG.full), in: .production),
        OperationRow(.uploadImage, "200", "PUT", path, .png(TestPNG.make(width: 3840, height: 2160))),
        OperationRow(.uploadImage, "200", "PUT", bullet, .png(TestPNG.bullet)),
        OperationRow(
            .uploadImage, "200", "PUT", path.uppercased().replacing("/IMAGE", with: "/image"),
            .png(TestPNG.full)),
        OperationRow(.uploadImage, "400 4000000", "PUT", "/image/hero", .png(TestPNG.full)),
        OperationRow(.uploadImage, "400 4000000", "PUT", "/image/list", .png(TestPNG.full)),
        refused(.none), refused(.json("{}")), refused(.raw("image/png", nil)),
        refused(.raw("image/jpeg", TestPNG.full)),
        refused(.raw(nil, TestPNG.full)), refused(.png([])), refused(.png(Array(TestPNG.full.dropLast()))),
        refused(.png(TestPNG.make(width: 3839, height: 160))),
        refused(.png(TestPNG.make(width: 3841, height: 160))),
        refused(.png(TestPNG.make(width: 3840, height: 159))),
        refused(.png(TestPNG.make(width: 3840, height: 2161))),
        refused(.png(TestPNG.make(width: 3840, height: 160, colour: 6))), refused(.png(TestPNG.bullet)),
        refused(.png(TestPNG.full), bullet), refused(.png(TestPNG.make(width: 1024, height: 1023)), bullet),
        refused(.png(TestPNG.full), path + "?imageSize=LARGE"),
        refused(.png(TestPNG.full), path + "?imageSize="),
        refused(.png(TestPNG.full), path + "?imageSize=FULL_SIZE&imageSize=FULL_SIZE"),
        OperationRow(.uploadImage, "409 4090000", "PUT", path, .png(TestPNG.full)) {
            try $0.upload(in: .sandbox)
        },
        OperationRow(.uploadImage, "200", "PUT", path, .png(TestPNG.full)) { try $0.upload(in: .production) },
        OperationRow(.uploadImage, "200", "PUT", path, .png(TestPNG.full), bundleId: "com.example.other") {
            try $0.upload(in: .sandbox)
        },
        OperationRow(.uploadImage, "409 4090000", "PUT", path, .png(TestPNG.full)) { team in
            _ = try team.send("PUT", path, .png(TestPNG.full))
            #expect(try team.send("DELETE", path).status == 200)
        },
        OperationRow(.uploadImage, "403 4030014", "PUT", path, .png(TestPNG.full), in: .production) { team in
            for number in 0..<2000 {
                let target = "/image/\(Sample.identifier(number))"
                let answer = try team.send("PUT", target, .png(TestPNG.full), in: .production)
                #expect(answer.status == 200)
            }
        },
    ]

    private static let deletes: [OperationRow] = [
        OperationRow(.deleteImage, "200", "DELETE", path) {
            _ = try $0.send("PUT", path, .png(TestPNG.full))
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
