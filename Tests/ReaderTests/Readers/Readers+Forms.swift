// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import NIOCore
import OSSAuth
import S3Auth
import StorageAuth
import StorageAuthTesting

@testable import LocalCloud

/// Readers of browser forms: parts, fields and policy.
extension Reader {
  static let forms = [formPolicies, submittedForms, multipartBodies, headerParameters]

  private static let formPolicies = Reader(name: "form-policies") { input, _ in
    do throws(VerificationError) {
      _ = try FormDocument(input)
      return true
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return false
    }
  }

  private static let submittedForms = Reader(name: "submitted-forms") { input, _ in
    let fields = text(input).split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      line.firstIndex(of: ":").map { FormField(String(line[..<$0]), String(line[line.index(after: $0)...])) }
    }
    let form = SubmittedForm(bucket: "photos", fields: fields, fileName: "a/b\\c", fileType: "image/jpeg")
    return try await [
      verify(form, OSSVerifier(region: "cn-hangzhou"), input), verify(form, COSVerifier(), input),
      verify(form, S3Verifier(region: "eu-central-1"), input),
    ].contains(true)
  }

  private static func verify(
    _ form: SubmittedForm, _ verifier: some FormVerifier, _ input: [UInt8]
  ) async throws -> Bool {
    do {
      let verified = try await verifier.verify(form, at: Samples.now) { Samples.key(for: $0) }
      _ = "\(verified)"
      return true
    } catch {
      try requireNoSecret(in: "\(error)", of: input)
      return false
    }
  }

  /// Checks that the parts are the same however the body is split.
  private static let multipartBodies = Reader(name: "multipart-bodies") { input, random in
    let whole = await parts(of: [input])
    var pieces: [[UInt8]] = []
    var rest = input[...]
    while !rest.isEmpty {
      let count = 1 + random.below(max(4, input.count / 8))
      pieces.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    let cut = await parts(of: pieces)
    try require(whole == cut, "splitting changes the parts:\n\(whole)\n\(cut)")
    return whole.last == "end"
  }

  private static func parts(of pieces: [[UInt8]]) async -> [String] {
    var found: [String] = []
    do {
      var reader = MultipartReader(Pieces(rest: pieces[...]), boundary: "fuzz")
      while let head = try await reader.nextPart() {
        var content: [UInt8] = []
        while let chunk = try await reader.nextChunk() { content += chunk.readableBytesView }
        found.append("\(head.name) \(head.fileName ?? "-") \(head.contentType ?? "-") \(content)")
      }
      found.append("end")
    } catch {
      found.append("refused")
    }
    return found
  }

  private struct Pieces: AsyncIteratorProtocol {
    var rest: ArraySlice<[UInt8]>

    mutating func next() async throws -> ByteBuffer? { rest.popFirst().map { ByteBuffer(bytes: $0) } }
  }

  private static let headerParameters = Reader(name: "header-parameters") { input, _ in
    let text = text(input)
    _ = try? PartHead(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    return HeaderParameters(text) != nil
  }
}
