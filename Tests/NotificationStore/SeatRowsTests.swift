import NotificationStore
import Support
import Testing

@Suite("The refunded seats of a transaction")
struct SeatRowsTests {
    @Test("are read from its payload", arguments: StoreSystem.allCases)
    func revokedSeats(system: StoreSystem) throws {
        let (place, sample) = (try TestStore(system), try Sample())
        let store = try place.open()
        let rows: [(info: String, count: Int64?)] = [
            (#"{"revokedSeatQuantity":2,"invitationManagement":"APPLE"}"#, 2),
            (#"{"revokedSeatQuantity":0}"#, 0),
            ("{}", nil), (#"{"revokedSeatQuantity":"2"}"#, nil), ("7", nil),
            (#"{"revokedSeatQuantity":99999999999}"#, -1),
        ]
        for (number, row) in rows.enumerated() {
            let period = Sample.Period(number: number)
            let columns = try sample.transaction(period) { $0.quantity = 5 }.columns
            let payload = #"{"signedDate":\#(period.signedAt),"quantity":5,"multiSeatInfo":\#(row.info)}"#
            let jws = try sample.signer.token(Array(payload.utf8))
            let part = StoredPart(proof: sample.proof, jws: jws, columns: columns)
            let item = StoreItem(
                .transaction(part, app: Sample.app, environment: "Production"),
                source: .api,
                receivedAt: 1
            )
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
