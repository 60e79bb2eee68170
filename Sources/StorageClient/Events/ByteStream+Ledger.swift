extension ByteStream {
  /// The stream, with its bytes and its end entered into a ledger.
  func entered(into ledger: TransferLedger) -> ByteStream {
    ByteStream { [self] in
      let iterator = makeAsyncIterator()
      return {
        do {
          let chunk = try await iterator.next()
          if let chunk { ledger.enter(chunk.count) } else { ledger.close(failure: nil) }
          return chunk
        } catch {
          ledger.close(failure: error)
          throw error
        }
      }
    }
  }
}
