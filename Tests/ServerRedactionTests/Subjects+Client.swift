// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Logging
import StorageAuthTesting

@testable import AsperaClient
@testable import StorageClient

extension Subjects {
  /// Types of StorageClient whose instances hold no secret, with the reason.
  static let holdsNothingOfClient: [String: String] = [
    "FoundationTransport.URLSessionTransport": "a session",
    "StorageOperations.StorageMetrics": "counters with names of operations and failures",
    "StorageOperations.StorageTracing": "a tracer",
    "StorageConfiguration.ConfigurationError": "a key, and sentences without values of secrets",
    "StorageConfiguration.ConfigurationKey": "the description of a setting",
    "StorageConfiguration.ConfigurationKey.Form": "an enumeration without payload",
    "StorageConfiguration.ConfigurationKeys": "an enumeration without cases",
    "StorageBackground.BackgroundTransfer": "the URL of an object without its query, and a path",
    "StorageBackground.BackgroundTransfer.Direction": "an enumeration without payload",
    "StorageBackground.BackgroundTransferEvent": "a transfer, and progress or a result",
    "StorageBackground.BackgroundTransferEvent.Stage": "progress, a result, or an error without secrets",
    "StorageBackground.BackgroundTransfers": "events, and what services have answered",
    "StorageClient.BodyDigest": "hashes of a body",
    "StorageClient.BucketVersioning": "an enumeration without payload",
    "StorageClient.ByteRange": "two numbers",
    "StorageClient.CheckpointFile": "a path",
    "StorageClient.ChecksumHeader": "the name of a header, and the format of its value",
    "StorageClient.ChecksumHeader.Spelling": "an enumeration without payload",
    "AsperaClient.AsperaOnCloudWorkspace": "names and ids",
    "StorageClient.CopiedObject": "an object's attributes from the service",
    "StorageClient.CopySource": "names of a bucket and an object",
    "StorageClient.DeletionReport": "keys of objects",
    "StorageClient.DeletionReport.Failure": "the key of an object, and the service's message",
    "StorageClient.DocumentRequest": "names of a bucket and of objects, and an id",
    "StorageClient.DigestSet": "a set of kinds of digests",
    "StorageClient.DownloadCheckpoint": "an object's attributes, a name of a file, and checksums",
    "StorageClient.DownloadCheckpoint.WrittenRange": "two numbers and a checksum",
    "StorageClient.FileIdentity": "numbers",
    "StorageClient.FolderSync": "a folder, a prefix, patterns, and clients that are checked separately",
    "AsperaClient.FaspexBox": "the name of a box",
    "AsperaClient.FaspexPackage": "a title, a note and names",
    "StorageAuth.HTTPTimeouts": "durations",
    "StorageClient.HeaderScope": "a set of kinds of requests",
    "StorageClient.ListEntry": "an object or a prefix",
    "StorageClient.ListPage": "objects, and a continuation",
    "StorageClient.MediaType": "a table of media types",
    "StorageClient.ListedObject": "an object's attributes from the service",
    "StorageClient.ObjectChecksum": "a checksum of an object",
    "StorageClient.ObjectChecksum.Algorithm": "the name of an algorithm",
    "StorageClient.ObjectInfo": "an object's attributes from the service",
    "StorageClient.ObjectVersion": "a version's attributes from the service",
    "StorageClient.ObjectVersions": "a key, and a function that requests pages",
    "StorageClient.ObjectVersions.AsyncIterator": "keys and ids, and a function that requests pages",
    "StorageClient.ObjectVersions.Marker": "a key and an id", "StorageClient.ObjectVersions.Page": "keys and ids",
    "StorageClient.ObjectTransfer": "the name of an object, its size, and a function",
    "AsperaClient.PackageDraft": "a title, a note and names",
    "AsperaClient.PackageDraft.Recipient": "a name and a type",
    "StorageClient.PathPattern": "a pattern for paths",
    "StorageClient.PipelineProgress": "numbers",
    "StorageClient.PipelineReport": "names of objects, and errors that are checked separately",
    "StorageClient.PipelineReport.Failure": "the name of an object, and an error that is checked separately",
    "StorageClient.S3Integrity": "two choices",
    "StorageClient.StoredPart": "two numbers and a tag of a part",
    "StorageClient.S3Integrity.BodySigning": "an enumeration without payload",
    "StorageClient.S3Integrity.Checksum": "an enumeration without payload",
    "StorageClient.HeaderConventions": "names of headers",
    "StorageClient.HeaderConventions.Paging": "an enumeration without payload",
    "StorageClient.ServiceError.Kind": "the name of an error code",
    "StorageClient.StorageClientConfiguration": "numbers and durations",
    "StorageClient.StorageError.Code": "the name of an error code",
    "StorageClient.SubprocessCommandRunner": "a clock",
    "StorageClient.SyncAction": "a path and a size",
    "StorageClient.SyncAction.Kind": "an enumeration without payload",
    "StorageClient.SyncOptions": "patterns and a path",
    "StorageClient.SyncOptions.Comparison": "an enumeration without payload",
    "StorageClient.SyncPreview": "actions, numbers and paths",
    "StorageClient.SyncReport": "numbers and paths, and errors that are checked separately",
    "StorageClient.SyncReport.Kept": "a path and a sentence",
    "StorageClient.SyncReport.Skipped": "a path and a sentence",
    "StorageClient.SyncLocation": "a folder, or a prefix and a client that is checked separately",
    "StorageClient.TransferPipeline": "numbers",
    "StorageClient.TransferProgress": "numbers",
    "AsperaClient.TransferServer": "a host, ports and a fingerprint",
    "StorageClient.UnfinishedUpload": "a key, an id and a time",
    "StorageClient.UnfinishedUploads": "a function that requests pages",
    "StorageClient.UnfinishedUploads.AsyncIterator": "keys and ids, and a function that requests pages",
    "StorageClient.UnfinishedUploads.Marker": "a key and an id",
    "StorageClient.UnfinishedUploads.Page": "keys and ids",
    "StorageClient.UploadCheckpoint": "names, an id, checksums, and a hash of headers with the id",
    "StorageClient.UploadCheckpoint.Part": "numbers, an entity tag and a checksum",
    "StorageClient.UploadedObject": "an object's attributes from the service",
  ]

  /// Returns clients and providers with keys, their listings, and their errors.
  static func client() async throws -> [(name: String, value: Any)] {
    let document = try refusal().document
    let transport = ScriptedTransport { _ in .xml(document, status: 403) }
    let oss = StorageClient(.oss(bucket: "photos", region: "cn-hangzhou"), credentials: lasting, transport: transport)
    let access = AsperaNodeAccess.accessKey(id: "ak", secret: Secret(secret))
    let account = try AsperaAccount(host: "aspera.example.com", user: "mia", password: Secret(secret))
    let transfers = AsperaTransferOptions(login: .account(account))
    let node = AsperaProvider(node: "https://node.example.com:9092", access: access, transfers: transfers)
    let dynamic = try DynamicKey(bits: 2_048)
    guard case .pem(let pem) = dynamic.privateKey.source else { return [] }
    let applications = ScriptedTransport { request in
      if request.method == .post { return .json(#"{"access_token":"\#(token)","expires_in":600}"#) }
      let fields = #""id":"1","default_workspace_id":"1","home_node_id":"1","home_file_id":"1""#
      return .json(#"{\#(fields),"url":"https://node.example.com","access_key":"ak"}"#)
    }
    let signingKey = try JWTSigningKey(pem: pem)
    let faspex = FaspexClient(
      url: "https://faspex.example.com", user: "mia", clientID: "id", key: signingKey, transfers: transfers,
      transport: applications)
    _ = try? await faspex.packages()
    let onCloud = AsperaOnCloudClient(
      organization: "acme", user: "mia", clientID: "id", clientSecret: Secret(secret), key: signingKey,
      transport: applications)
    let folder = try await onCloud.homeFolder()
    let listing = oss.list(prefix: "a")
    var refused: (any Error)?
    do { _ = try await oss.upload([1], to: "a") } catch { refused = error }
    var inClear: (any Error)?
    let plain = StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou", endpoint: "http://oss.example.com"), credentials: lasting)
    do { _ = try await plain.head("a") } catch { inClear = error }
    let signing = RemoteSigning.remote(
      { _ in SigningResponse(accessKeyID: "id", signature: secret) }, as: lasting.identity)
    let download = try await StorageClient(
      .oss(bucket: "photos", region: "cn-hangzhou"), credentials: lasting,
      transport: ScriptedTransport { _ in .text("x", headers: ["ETag": "\"E\"", "x-oss-hash-crc64ecma": "1"]) }
    ).open("a")
    let upload = UploadOptions(headers: [.authorization: secret])
    let proxy = ProxyServer(host: "proxy.example", port: 3128, user: "mia", password: Secret(secret))
    return [
      ("AsyncHTTPTransport.AsyncHTTPClientTransport", try AsyncHTTPClientTransport(proxy: .init(https: proxy))),
      ("StorageClient.UploadOptions", upload),
      ("StorageClient.DownloadOptions", DownloadOptions(headers: upload.headers)),
      ("StorageClient.CopyOptions", CopyOptions(attributes: upload, headers: upload.headers)),
      ("StorageClient.StorageClient", oss), ("StorageClient.RequestSender", oss.sender),
      ("StorageClient.OSSProvider", oss.provider),
      ("StorageClient.COSProvider", COSProvider(bucket: "photos-1250000000", region: "ap-guangzhou")),
      ("StorageClient.S3Provider", S3Provider(bucket: "photos", region: "eu-central-1")),
      (
        "StorageClient.StorageClient",
        StorageClient(
          .oss(bucket: "photos", region: "cn-hangzhou"),
          signing: .remote("https://app.example.com/sign") { [.authorization: token] })
      ),
      ("StorageClient.StorageClient", StorageClient(node)), ("AsperaClient.AsperaProvider", node),
      ("AsperaClient.FaspexClient", faspex), ("AsperaClient.AsperaOnCloudClient", onCloud),
      ("AsperaClient.AsperaOnCloudProvider", AsperaOnCloudProvider(onCloud, transfers: transfers)),
      ("AsperaClient.AsperaOnCloudFolder", folder),
      ("AsperaClient.AsperaTransferOptions", transfers),
      ("AsperaClient.AsperaTransferOptions.Login", transfers.login),
      ("StorageClient.RemoteSigning", signing),
      (
        "StorageClient.RemoteSigning",
        RemoteSigning.remote("https://app.example.com/sign") { [.authorization: token] }
      ),
      ("StorageClient.ObjectListing", listing),
      ("StorageClient.ObjectListing.AsyncIterator", listing.makeAsyncIterator()),
      ("StorageClient.ServiceError", try present(refused)), ("StorageClient.StorageError", try present(inClear)),
      ("StorageClient.DownloadedObject", download), ("StorageClient.UploadSource", UploadSource.file("/a")),
      ("StorageClient.AuthEventLogger", AuthEventLogger(oss.events, to: Logger(label: "test"))),
    ]
  }
}
