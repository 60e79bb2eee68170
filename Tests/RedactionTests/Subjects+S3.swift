// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import S3Auth
import StorageAuth
import XCTest

extension Subjects {
  /// Returns S3 types other than signers and verifiers: chunked bodies and their checksums, with a secret body.
  static func s3() throws -> [(String, Any)] {
    let signer = S3Signer(region: "eu-central-1", payload: .signedChunks)
    let verifier = S3Verifier(region: "eu-central-1")
    var request = s3Request
    request.headerFields[.contentEncoding] = "aws-chunked"
    let lengthName = try XCTUnwrap(HTTPField.Name("x-amz-decoded-content-length"))
    request.headerFields[lengthName] = "\(secret.utf8.count)"
    let signed = try signer.signed(request, with: key, in: .at(date))
    let claim = try XCTUnwrap(verifier.claim(in: signed))
    var encoder = try S3ChunkEncoder(signed, with: key)
    let framed = try encoder.head(of: Array(secret.utf8)) + Array(secret.utf8)
    var decoder = try S3ChunkDecoder(for: claim, against: key)
    _ = try decoder.decode(framed)
    var checksum = S3Checksum(.sha256)
    checksum.update(Array(secret.utf8))
    return [
      ("S3Auth.S3Signer", signer), ("S3Auth.S3Verifier", verifier), ("S3Auth.S3ChunkEncoder", encoder),
      ("S3Auth.S3ChunkDecoder", decoder), ("S3Auth.S3Checksum", checksum),
      (
        "S3Auth.S3StringToSignSigner",
        S3StringToSignSigner(region: "eu-central-1", endpoint: try .s3(region: "eu-central-1"))
      ),
    ]
  }
}
