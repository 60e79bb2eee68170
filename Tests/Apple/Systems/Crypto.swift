// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// Declares what the keys use of swift-crypto, which is CryptoKit on Apple's systems; see Darwin.swift.

public import Foundation

public protocol Digest {}

public struct SHA256: Digest {
  public static func hash(data: some Collection<UInt8>) -> SHA256 { SHA256() }
}

public struct SHA384: Digest {
  public static func hash(data: some Collection<UInt8>) -> SHA384 { SHA384() }
}

public struct SHA512: Digest {
  public static func hash(data: some Collection<UInt8>) -> SHA512 { SHA512() }
}

public struct SymmetricKey: Sendable {
  public init(data: some Collection<UInt8>) {}
}

public enum AES {}

public typealias P256 = NISTCurve<Int8>
public typealias P384 = NISTCurve<Int16>
public typealias P521 = NISTCurve<Int32>

public enum NISTCurve<Name: Sendable> {
  public enum Signing {
    public struct ECDSASignature: Sendable {
      public let rawRepresentation = Data()
      public init(rawRepresentation: some Collection<UInt8>) throws {}
      init() {}
    }

    public struct PublicKey: Sendable {
      public let x963Representation = Data()
      public init(x963Representation: some Collection<UInt8>) throws {}
      @available(macOS 13.0, iOS 16.0, *)
      public init(compressedRepresentation: some Collection<UInt8>) throws {}
      init() {}
      public func isValidSignature(_ signature: ECDSASignature, for digest: some Digest) -> Bool { false }
    }

    public struct PrivateKey: Sendable {
      public let rawRepresentation = Data()
      public let publicKey = PublicKey()
      public init(compactRepresentable: Bool = true) {}
      public init(rawRepresentation: some Collection<UInt8>) throws {}
      public func signature(for digest: some Digest) throws -> ECDSASignature { ECDSASignature() }
    }
  }
}

public enum Curve25519 {
  public enum Signing {
    public struct PublicKey: Sendable {
      public let rawRepresentation = Data()
      public init(rawRepresentation: some Collection<UInt8>) throws {}
      init() {}
      public func isValidSignature(_ signature: Data, for data: some Collection<UInt8>) -> Bool { false }
    }

    public struct PrivateKey: Sendable {
      public let rawRepresentation = Data()
      public let publicKey = PublicKey()
      public init() {}
      public init(rawRepresentation: some Collection<UInt8>) throws {}
      public func signature(for data: some Collection<UInt8>) throws -> Data { Data() }
    }
  }
}
