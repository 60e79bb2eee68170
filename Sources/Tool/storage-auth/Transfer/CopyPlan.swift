// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AsperaClient
internal import Foundation
internal import StorageClient

/// The transfers of the command `cp`, and the clients, which locations in the same bucket or on the same server share.
struct CopyPlan {
  /// A client for a bucket, an Aspera node, or an account on an Aspera server.
  enum Client {
    case bucket(any BucketStore)
    case node(any ObjectStore)
    case account(AccountTransfers)
  }

  let options: StoreOptions
  let aspera: AsperaOptions
  let upload: UploadOptions
  let parallel: Int
  let resumes: Bool
  /// The directory for the state of unfinished transfers, or `nil` if transfers cannot be continued.
  var checkpoints: CheckpointDirectory?
  private(set) var clients: [Location: Client] = [:]

  /// The configuration of the clients, which permits as many requests as there are copies at a time.
  private var configuration: StorageClientConfiguration {
    var configuration = Settings.client.configuration
    configuration.requestsInFlight = max(configuration.requestsInFlight, parallel)
    return configuration
  }

  /// Throws an error for a copy between two locations that is not possible.
  func requireSupport(from source: Location, to destination: Location) throws {
    if aspera.transferServer != nil, [source, destination].contains(where: \.isAccount) {
      throw ValidationError("--transfer-server is for aspera://host/path; aspera://user@host/path names the server.")
    }
    if aspera.tags != nil, ![source, destination].contains(where: \.isAccount) {
      throw ValidationError("--tags is for aspera://user@host/path; a node determines the tags itself.")
    }
    if resumes, source.isAspera || destination.isAspera {
      throw ValidationError("--resume is for buckets; ascp continues partial files itself.")
    }
    switch (source, destination) {
    case (.object, .object) where resumes:
      throw ValidationError("--resume is for files; a service copies an object by itself.")
    case (.file, .file):
      throw ValidationError("One of the two must be oss://bucket/key (or cos://, s3://) or aspera://….")
    case (.file, .account) where upload.contentType != nil || !upload.metadata.isEmpty:
      throw ValidationError("Aspera stores neither a media type nor metadata with a file.")
    case (.file, .account), (.account, .file): return
    case (.object(let from, let bucket, _), .object(let to, _, _)) where from == to:
      _ = try from.cloud.store(bucket, options.buckets)
    case (.file, let location), (let location, .file): _ = try options.store(of: location)
    default:
      throw ValidationError("Copy to a file first: services do not copy from each other, nor Aspera within a server.")
    }
  }

  mutating func transfer(_ source: Location, to destination: Location) async throws -> ObjectTransfer {
    let (sourceClient, targetClient) = (try await client(of: source), try await client(of: destination))
    if case .object(_, let bucket, let key) = source, case .bucket(let store) = targetClient {
      let target = destination.key(naming: key)
      return ObjectTransfer(target) { _ in
        _ = try await store.copy(CopySource(bucket: bucket, key: key), to: target, options: CopyOptions())
      }
    }
    if case .file(let file) = source, let targetClient { return send(file, to: destination, targetClient) }
    if case .file(let file) = destination, let sourceClient { return fetch(source, to: file, sourceClient) }
    throw ValidationError("Name an object, as oss://bucket/key.")
  }

  private func send(_ file: FilePath, to destination: Location, _ client: Client) -> ObjectTransfer {
    let target = destination.key(naming: file.string)
    let byteCount = LocalFiles.byteCount(file.string)
    return switch client {
    case .bucket(let store):
      if let checkpoint: CheckpointFile<UploadCheckpoint> = checkpoints?.file(
        "upload", file, store.identity(of: target))
      {
        ObjectTransfer(target, byteCount: byteCount) { [upload] progress in
          try await store.upload(file, to: target, checkpoint: checkpoint, options: upload, progress: progress)
        }
      } else {
        .upload(.file(file), to: target, in: store, byteCount: byteCount, options: upload)
      }
    case .node(let store): .upload(.file(file), to: target, in: store, byteCount: byteCount, options: upload)
    case .account(let transfers):
      ObjectTransfer(target, byteCount: byteCount) { try await transfers.upload(file, to: target, progress: $0) }
    }
  }

  /// Returns the transfer that downloads an object to a file, or into a directory under the last component of its key.
  private func fetch(_ source: Location, to file: FilePath, _ client: Client) -> ObjectTransfer {
    let key = source.key
    let target = Location.file(file).isFolder ? file.appending(source.lastName) : file
    return switch client {
    case .bucket(let store):
      if let checkpoint: CheckpointFile<DownloadCheckpoint> = checkpoints?.file(
        "download", target, store.identity(of: key))
      {
        ObjectTransfer(target.string) {
          try await store.download(key, to: target, checkpoint: checkpoint, progress: $0)
        }
      } else {
        ObjectTransfer(target.string) { try await store.download(key, to: target, progress: $0) }
      }
    case .node(let store): ObjectTransfer(target.string) { try await store.download(key, to: target, progress: $0) }
    case .account(let transfers):
      ObjectTransfer(target.string) { try await transfers.download(key, to: target, progress: $0) }
    }
  }

  private mutating func client(of location: Location) async throws -> Client? {
    let container = location.container
    if let existing = clients[container] { return existing }
    let client: Client
    switch location {
    case .file: return nil
    case .object(let name, let bucket, _):
      client = .bucket(try name.cloud.store(bucket, options.buckets, configuration))
    case .account(let server, _): client = .account(try await aspera.accountTransfers(on: server, atATime: parallel))
    case .node:
      guard let (store, _) = try options.store(of: location, transfers: try aspera.transferOptions(atATime: parallel))
      else {
        return nil
      }
      client = .node(store)
    }
    clients[container] = client
    return client
  }
}

/// The directory in which `cp --resume` keeps the checkpoints of unfinished transfers, one file per transfer.
struct CheckpointDirectory {
  let path: FilePath

  init(_ path: String?) throws {
    let environment = ProcessInfo.processInfo.environment
    let stateFolder =
      environment["XDG_STATE_HOME"].flatMap { $0.hasBytePrefix("/") ? $0 : nil }
      ?? environment["HOME"].map { "\($0)/.local/state" }
    guard let path = path ?? stateFolder.map({ "\($0)/storage-auth/checkpoints" }) else {
      throw ValidationError("There is no home directory; name a directory with --checkpoints.")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ValidationError("The directory \(path) for checkpoints cannot be created; name another with --checkpoints.")
    }
    self.path = FilePath(path)
  }

  /// Returns the file for the checkpoint of a transfer, or `nil` if the identity of the object is unknown.
  func file<Checkpoint>(
    _ direction: String, _ file: FilePath, _ object: ObjectIdentity?
  ) -> CheckpointFile<Checkpoint>? {
    let file = URL(filePath: file.string).standardizedFileURL.path
    return object.map { CheckpointFile(path.appending("\($0.fileName(with: file)).\(direction)")) }
  }
}
