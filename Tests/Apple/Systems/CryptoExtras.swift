// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase, NoLeadingUnderscores

// Declares what the keys use of swift-crypto's further algorithms; see Darwin.swift.

public import Crypto
public import Foundation

public enum _RSA {
  public enum Signing {
    public struct Padding: Sendable {
      public static let insecurePKCS1v1_5 = Padding()
      public static let PSS = Padding()
    }

    public struct RSASignature: Sendable {
      public let rawRepresentation = Data()
      public init(rawRepresentation: some Collection<UInt8>) {}
    }

    public struct PublicKey: Sendable {
      public init(unsafeDERRepresentation: some Collection<UInt8>) throws {}
      public func isValidSignature(_ signature: RSASignature, for digest: some Digest, padding: Padding) -> Bool {
        false
      }
    }

    public struct PrivateKey: Sendable {
      public let derRepresentation = Data()
      public init(unsafeDERRepresentation: some Collection<UInt8>) throws {}
      public init(unsafeKeySize: KeySize) throws {}
      public func signature(for digest: some Digest, padding: Padding) throws -> RSASignature {
        RSASignature(rawRepresentation: [])
      }
    }

    public struct KeySize: Sendable {
      public init(bitCount: Int) {}
    }
  }
}

public enum KDF {
  public enum Insecure {
    public enum PBKDF2 {
      public struct HashFunction: Hashable, Sendable {
        public static let insecureSHA1 = HashFunction()
        public static let insecureSHA224 = HashFunction()
        public static let sha256 = HashFunction()
        public static let sha384 = HashFunction()
        public static let sha512 = HashFunction()
      }

      public static func deriveKey(
        from password: some Collection<UInt8>, salt: some Collection<UInt8>, using hash: HashFunction,
        outputByteCount: Int, unsafeUncheckedRounds: Int
      ) throws -> SymmetricKey { SymmetricKey(data: []) }
    }
  }

  public enum Scrypt {
    public static func deriveKey(
      from password: some Collection<UInt8>, salt: some Collection<UInt8>, outputByteCount: Int, rounds: Int,
      blockSize: Int, parallelism: Int, maxMemory: Int? = nil
    ) throws -> SymmetricKey { SymmetricKey(data: []) }
  }
}

extension AES {
  public enum _CBC {
    public struct IV: Sendable {
      public init(ivBytes: some Collection<UInt8>) throws {}
    }

    public static func decrypt(
      _ ciphertext: some Collection<UInt8>, using key: SymmetricKey, iv: IV, noPadding: Bool = false
    ) throws -> Data { Data() }
  }
}
