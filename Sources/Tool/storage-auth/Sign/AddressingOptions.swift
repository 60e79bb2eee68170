// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import HTTPTypes
internal import StorageAuth

/// The options for a URL that does not itself determine the bucket.
struct AddressingOptions: ParsableArguments {
  @Option(help: "The bucket of a custom domain; that of another URL must be the same.") var bucket: String?
  @Option(help: "Where the bucket is: host, path, or domain for a custom domain.") var style: StyleArgument?

  /// Returns the bucket and its position; an option that contradicts the URL would sign for another object.
  func address(of request: HTTPRequest, in cloud: any Cloud) throws -> BucketAddress {
    guard let bucket else {
      guard style != .domain else { throw ValidationError("Name the bucket of the custom domain with --bucket.") }
      return BucketAddress(bucket: nil, style: style?.style)
    }
    let host = request.hostName.asciiLowercased
    let isInHost = host.hasBytePrefix("\(bucket).")
    let path = String((request.path ?? "/").bytes(before: "?"))
    let firstPart = String(path.dropFirst().bytes(before: "/")).removingPercentEncoding
    let isInPath = path.hasBytePrefix("/") && firstPart?.utf8.elementsEqual(bucket.utf8) ?? false
    let isPublicHost = cloud.storageService.owns(host: host)
    let isRequiredInPath =
      switch style {
      case .path: true
      case .host, .domain: false
      case nil where isInHost: false
      case nil: isPublicHost ? cloud.hasBucketInPath(host: host) : AddressingStyle(authority: host) == .path
      }
    guard !isRequiredInPath else {
      guard isInPath else {
        throw ValidationError(
          "The URL has the bucket in its path, and the path does not start with /\(bucket)/. Write it there, omit "
            + "--bucket, or add --style domain if the host \(request.hostName) is bound to the bucket.")
      }
      return BucketAddress(bucket: bucket, style: .path)
    }
    guard isInHost || style != .host && !isPublicHost else {
      throw ValidationError(
        "The host \(host) is not one of the bucket \(bucket). Write \(bucket).… as the host, or omit --bucket and "
          + "--style.")
    }
    guard isInHost || style != nil || !isInPath else {
      throw ValidationError(
        "The path starts with the bucket \(bucket): add --style path if the service has buckets in the path, or "
          + "--style domain if the host \(host) is bound to the bucket and this is the first part of the key.")
    }
    return BucketAddress(bucket: bucket, style: isPublicHost ? .virtualHosted : .customDomain)
  }
}

/// The bucket of a request and its position in the URL; `nil` is for what the URL itself determines.
struct BucketAddress {
  let bucket: String?
  let style: AddressingStyle?
}

enum StyleArgument: String, ExpressibleByArgument, CaseIterable {
  case host, path, domain

  var style: AddressingStyle {
    switch self {
    case .host: .virtualHosted
    case .path: .path
    case .domain: .customDomain
    }
  }
}
