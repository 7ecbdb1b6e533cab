import NotificationStore
import Support
import Testing

@Suite("The refunded seats of a transaction")
struct SeatRowsTests {
    @Test("are read from its payload", arguments: StoreSystem.allCases)
    func revokedSeats(system: StoreSystem) throws {
        let (place, sample) = (try TestStore(system), try Sample())
        let store = try place.open()
        let rows: [(quantity: Int64?, info: String, count: Int64?)] = [
            (5, #"{"revokedSeatQuantity":2,"invitationManagement":"APPLE"}"#, 2),
            (nil, #"{"revokedSeatQuantity":2}"#, 2), (5, #"{"revokedSeatQuantity":0}"#, 0),
            (5, "{}", nil), (5, #"{"revokedSeatQuantity":"2"}"#, nil), (5, "7", nil),
            (5, #"{"revokedSeatQuantity":99999999999}"#, -1),
        ]
        for (number, row) in rows.enumerated() {
            let period = Sample.Period(number: number)
            let columns = try sample.transaction(period) { $0.quantity = row.quantity }.columns
            let payload = #"{"signedDate":\#(period.signedAt),"multiSeatInfo":\#(row.info)}"#
            let jws = try sample.signer.token(Array(payload.utf8))
            let part = StoredPart(proof: sample.proof, jws: jws, columns: columns)
            let item = StoreItem(
                .transaction(part, app: Sample.app, environment: "Production"), source: .api, receivedAt: 1)
            #expect(store.store([item]) == [.stored])
            let found = try store.transactions(originalTransactionID: period.originalTransactionID).rows
            #expect(
                found.first { $0.columns.transactionID == period.transactionID }?.columns.revokedSeatQuantity
                    == row.count,
                "\(row.info)"
            )
        }
    }
}
