// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

extension Gateway {
  /// Notes the names that a request contains in the record of the request.
  func note(_ head: HTTPRequest, in record: RequestRecord) {
    if let target = try? dialect.target(of: head) {
      record.concerns(bucket: target.bucket?.string, key: target.key?.string)
    }
    let id = authenticator.claimedKeyID(of: head)
    record.claims(id, isPresigned: id != nil && head.headerFields[.authorization] == nil)
  }

  /// Returns the means to explain the rejection of a request's signature.
  func rejectedSignature(
    _ head: HTTPRequest, _ identity: CallIdentity, _ error: VerificationError, _ refusal: RefusalAnswer
  ) -> RejectedSignature {
    // The response to a HEAD request has no document, so the document is that of a GET request.
    let shown = CallIdentity(
      requestID: identity.requestID, method: .get, host: identity.host, path: identity.path, date: identity.date)
    var answer = dialect.answer(for: refusal, to: shown)
    answer.headers[.date] = identity.date.httpDate
    let document: [UInt8] = if case .bytes(let bytes) = answer.body { bytes } else { [] }
    let claimed = error.accessKeyID ?? authenticator.claimedKeyID(of: head)
    let key = claimed.flatMap { context.keys.key($0, of: dialect.provider, at: identity.date) }
    return RejectedSignature(
      dialect.provider, head, HTTPResponse(status: answer.status, headerFields: answer.headers), document,
      region: region, isMismatch: error.code == .mismatch, key: key,
      others: context.keys.accountKeys.filter { $0.id != claimed },
      fits: { [authenticator] in authenticator.fits($0, $1, at: identity.date) })
  }
}
