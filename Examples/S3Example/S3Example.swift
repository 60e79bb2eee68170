// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPTransport
import CredentialSources
import ExampleSupport
import Foundation
import HTTPTypes
import S3Auth
import StorageAuth
import StorageDiagnosis

/// An example of the authentication of S3: every request is signed here, and sent with a plain HTTP client.
@main
struct S3Example: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "S3Example", abstract: "Signs requests to S3 with keys from several sources, and sends them.",
    discussion: """
      By default it uses LocalCloud. A real bucket requires STORAGE_AUTH_LIVE=1, S3_BUCKET, S3_REGION and a key in the \
      environment; S3_APP_SERVER is the URL of an app server that issues temporary keys.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let place = try await ExampleBucket.s3(localOnly: local)
    try await place.use(.amazonDefault) { key in
      let signer = S3Signer(region: place.region)
      try await signByHand(signer, key, place)
      try await presign(signer, key, place)
      if let server = place.appServer { try await useTemporaryKeys(from: server, signer, place) }
      try await explainRefusal(key, place)
      for name in ["example/cat.txt", "example/dog.txt"] {
        let old = try place.endpoint.request(.delete, bucket: place.bucket, key: name)
        say("# deleted:", try await send(signer.signed(old, with: key, in: .now)).status)
      }
    }
  }

  /// Signs requests in their headers; the signature of the upload covers the hash of its body.
  private func signByHand(_ signer: S3Signer, _ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# signed by hand")
    var upload = try place.endpoint.request(
      .put, bucket: place.bucket, key: "example/cat.txt", headers: [.contentType: "text/plain"])
    try signer.with(payload: .bytes(Array("a cat".utf8))).sign(&upload, with: key, in: .now)
    say("  Authorization:", upload.headerFields[.authorization] ?? "")
    say("  uploaded:", try await send(upload, "a cat").status)

    let download = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    say("  downloaded:", try await send(signer.signed(download, with: key, in: .now)).text)
  }

  /// Creates URLs with which any HTTP client can upload or download one object within half an hour.
  private func presign(_ signer: S3Signer, _ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# presigned")
    let put = try place.endpoint.request(
      .put, bucket: place.bucket, key: "example/dog.txt", headers: [.contentType: "text/plain"])
    let upload = try signer.presign(put, with: key, validFor: .seconds(1800), in: .now)
    say("  uploaded:", try await send(upload, "a dog").status)

    let get = try place.endpoint.request(.get, bucket: place.bucket, key: "example/dog.txt")
    let download = try signer.presign(get, with: key, validFor: .seconds(1800), in: .now)
    say("  downloaded:", try await send(download).text)
  }

  /// Signs with temporary keys: one that the app fetched itself, one from a callback, and one from the app server.
  private func useTemporaryKeys(from server: String, _ signer: S3Signer, _ place: ExampleBucket) async throws {
    say("# temporary keys")
    let request = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    let key = try await get(TemporaryKey.self, from: server).accessKey
    say("  set by hand:", try await send(signer.signed(request, with: key, in: .now)).text)

    // The cache calls the closure when it needs a key, and never twice at the same time.
    let callback = CredentialCache<AccessKey>(source: "my app") {
      try await get(TemporaryKey.self, from: server).accessKey
    }
    say("  from a callback:", try await send(signer.signed(request, with: callback.credential(), in: .now)).text)

    let cache = CredentialCache(
      .appServer(server, format: .s3), in: ProviderContext(transport: AsyncHTTPClientTransport.shared))
    say("  from the app server:", try await send(signer.signed(request, with: cache.credential(), in: .now)).text)
  }

  /// Shows why S3 rejects a signature for another region.
  private func explainRefusal(_ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# a refusal, explained")
    let elsewhere = S3Signer(region: place.region == "eu-central-1" ? "us-east-1" : "eu-central-1")
    let request = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    let signed = try elsewhere.signed(request, with: key, in: .now)
    let reply = try await send(signed)
    let diagnosis = SignatureDiagnosis(
      of: RejectedResponse(reply.response, body: reply.body), to: signed, signedFor: .s3(region: elsewhere.region))
    say("status  \(reply.status)")
    if let diagnosis { say(diagnosis, keepingLines: true) }
  }
}
