// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of requests to S3 with one key at one time, which ``S3Signer/prepared(with:in:)`` creates.
public struct S3PreparedSigner: PreparedSigner {
  private let signer: S3Signer
  private let key: AccessKey
  /// What the signatures have in common, or `nil` for an anonymous key.
  private let terms: S3HeaderTerms?
  private let startedKey: HMACKey<SHA256>?

  init(_ signer: S3Signer, _ key: AccessKey, terms: S3HeaderTerms?) {
    self.signer = signer
    self.key = key
    self.terms = terms
    startedKey = terms.map { terms in
      terms.scope.signingKey(of: key).startingMessages { terms.scope.append(headWithSuffix: "", to: &$0) }
    }
  }

  /// Returns the header fields that authorize a request.
  ///
  /// - Throws: The errors of `PreparedSigner.fields(for:)`, which also describes the parameters.
  @specialized(where Request == HTTPRequest)
  public func fields<Request: SignableRequest>(for request: Request) throws(SigningError) -> [HTTPField] {
    guard let terms else { return [] }
    return try signer.addedFields(for: request, with: key, terms, startedKey: startedKey).array
  }

  /// Signs a request by setting the fields in it.
  ///
  /// - Throws: The errors of `PreparedSigner.sign(_:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest) throws(SigningError) {
    guard let terms else { return }
    try request.addFields(withToken: terms.token, named: .s3SecurityToken) { (request) throws(SigningError) in
      try signer.addedFields(for: request, with: key, terms, startedKey: startedKey)
    }
  }
}

extension S3PreparedSigner: Redacted {
  /// The region and the access key ID.
  public var description: String { "S3PreparedSigner(region: \(signer.region), id: \(key.id))" }
}
