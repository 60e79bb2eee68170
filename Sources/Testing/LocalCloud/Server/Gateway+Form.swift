// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import HummingbirdCore
internal import StorageAuth

extension Gateway {
  /// Handles a form upload and returns the response.
  ///
  /// Authorization in the headers or the URL is ignored; the authorization in the form's fields must be valid.
  @concurrent
  func post(
    _ upload: FormUpload, _ request: Request, _ identity: CallIdentity, _ record: RequestRecord?
  ) async throws -> Answer {
    let (requestID, date) = (identity.requestID, identity.date)
    // As in the services, a missing bucket is reported before the form is verified.
    try checkPlace(of: upload.bucket, at: request.head.authority)
    let form = try await upload.open(request.body) { form in
      do {
        return try await authenticator.verify(form, at: date)
      } catch let error as VerificationError {
        record?.rejected(nil)
        throw dialect.formRefusal(error, at: date) ?? dialect.refusal(error, at: date)
      }
    }
    let verified = form.verified
    try dialect.headerRules.check(verified.form)
    let kind = dialect.signatureKind(of: verified.form)
    counters.verified(kind)
    record?.authorized(.verified(kind))
    record?.claims(verified.accessKeyID, isPresigned: false)
    record?.concerns(bucket: upload.bucket, key: verified.key)
    let target = RequestTarget(bucket: upload.bucket, key: verified.key, parameters: [])
    try check(target)
    let authority = context.keys.authority(of: verified.accessKeyID) ?? .nothing
    let rights = RequestRights(authority, of: verified, dialect, region: region, at: date)
    guard rights.allowPosting(verified.key, to: upload.bucket) else { throw dialect.policyRefusal(at: date) }
    let call = Call(
      dialect: dialect, store: store, target: target, isAnonymous: false, rights: rights,
      headers: try verified.headers(of: dialect),
      body: CallBody(request.body, reader: nil) { [dialect] in dialect.refusal($0, at: date) }, operation: .putObject,
      date: date, region: region, host: request.head.authority ?? "",
      callback: try plan("PostObject", requestID, isRequested: verified.form["callback"] != nil) {
        () throws(RefusalAnswer) in try RequestedCallback(verified.form)
      })
    try call.checkHarmless()
    do {
      let answer = try await call.postObject(upload, form)
      countWrite(of: call)
      return answer
    } catch let refusal as RefusalAnswer where refusal.isStored {
      countWrite(of: call)
      throw refusal
    }
  }
}
