import Care

extension DeviceDefinition {
  /// The JSON Schema of a definition's file, by which an editor completes and checks it.
  ///
  /// It says less than `measured devices lint`: which keys there are, so that any other is a mistake,
  /// of what kind their values are, and which words are known.
  public static var schema: String {
    func list(_ words: [String]) -> String {
      "[" + words.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }
    return """
      {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Device definition of measured",
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "name", "vendor", "description", "match", "link", "records"],
        "properties": {
          "id": {"type": "string", "pattern": "^[a-z0-9-]{1,64}$", "description": "The file's name."},
          "name": {"type": "string"},
          "vendor": {"type": "string"},
          "families": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": true,
            "items": {"type": "string", "maxLength": 80},
            "description": "The products that it serves, as people know them."
          },
          "description": {"type": "string", "description": "What it is, and what a person must do."},
          "prepare": {
            "type": "string",
            "maxLength": 80,
            "description": "What a person does, in a few words: step on barefoot."
          },
          "match": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "all": {"type": "array", "items": {"$ref": "#/$defs/clause"}},
              "any": {"type": "array", "items": {"$ref": "#/$defs/clause"}}
            }
          },
          "link": {
            "type": "object",
            "additionalProperties": false,
            "required": ["mode"],
            "properties": {
              "mode": {"enum": \(list(Link.Mode.allCases.map(\.rawValue)))},
              "bond": {"enum": \(list(Link.Bond.allCases.map(\.rawValue)))},
              "history": {"type": "boolean", "description": "Fetch what a broadcasting device stores."}
            }
          },
          "session": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "start": {"type": "array", "items": {"$ref": "#/$defs/step"}},
              "end": {"type": "array", "items": {"$ref": "#/$defs/step"}},
              "answers": {
                "type": "array",
                "items": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["to", "write"],
                  "properties": {
                    "to": {
                      "type": "object",
                      "additionalProperties": false,
                      "properties": {
                        "characteristic": {"$ref": "#/$defs/uuids"},
                        "bytes": {"$ref": "#/$defs/bytes"},
                        "length": {"type": "integer"},
                        "unmask": {"$ref": "#/$defs/mask"},
                        "state": {"enum": \(list(PairingState.allCases.map(\.rawValue)))}
                      }
                    },
                    "write": {"$ref": "#/$defs/write"},
                    "deletes": {"type": "boolean"}
                  }
                }
              },
              "password": {
                "type": "object",
                "additionalProperties": false,
                "required": ["characteristic", "bytes", "at", "count"],
                "description": "What the device sends once, while it is paired.",
                "properties": {
                  "characteristic": {"$ref": "#/$defs/uuid"},
                  "bytes": {"$ref": "#/$defs/bytes"},
                  "at": {"type": "integer"},
                  "count": {"type": "integer"}
                }
              },
              "handshake": {"enum": \(list(HandshakeCodec.allCases.map(\.rawValue)))},
              "keepAlive": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "characteristic": {"$ref": "#/$defs/uuid"},
                  "hex": {"$ref": "#/$defs/bytes"},
                  "response": {"type": "boolean"},
                  "every": {"type": "number", "description": "Seconds."}
                }
              }
            }
          },
          "assembly": {"type": "array", "items": {"$ref": "#/$defs/assembly"}},
          "memory": {
            "type": "object",
            "additionalProperties": false,
            "required": ["codec", "index", "users", "length"],
            "description": "Where a device whose memory is read has its records.",
            "properties": {
              "codec": {"enum": \(list(MemoryCodec.allCases.map(\.rawValue)))},
              "index": {
                "type": "object",
                "additionalProperties": false,
                "required": ["at", "type"],
                "properties": {
                  "at": {"type": "integer"},
                  "type": {"enum": ["u8", "u16le", "u16be"]},
                  "unread": {"type": "boolean", "description": "false: it does not count the new records."}
                }
              },
              "users": {
                "type": "array",
                "items": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["at", "records"],
                  "properties": {"at": {"type": "integer"}, "records": {"type": "integer"}}
                }
              },
              "length": {"type": "integer", "description": "The bytes of a record."}
            }
          },
          "records": {"type": "array", "items": {"$ref": "#/$defs/record"}},
          "vectors": {"type": "array", "items": {"$ref": "#/$defs/vector"}}
        },
        "$defs": {
          "uuid": {"type": ["string", "integer"], "description": "4 or 8 hex digits, or 32 with hyphens."},
          "uuids": {"type": ["string", "integer", "array"], "description": "One, or a list of several."},
          "bytes": {"type": ["string", "integer"], "description": "Bytes in hex; ? for any digit."},
          "test": {
            "type": "string",
            "description": "Of earlier fields: flags.1, not flags.1, unit = 2, unit != 2, joined by and."
          },
          "timePart": {"enum": \(list(TimePart.allCases.map(\.rawValue)))},
          "zone": {"enum": ["utc", "local"]},
          "checksum": {
            "type": "object",
            "additionalProperties": false,
            "required": ["kind"],
            "properties": {
              "kind": {"enum": \(list(ChecksumRule.Kind.allCases.map(\.rawValue)))},
              "first": {"type": "integer", "description": "The first byte; negative from the end."},
              "last": {"type": "integer", "description": "The last byte; negative from the end."},
              "at": {"type": "integer", "description": "Its place; negative from the end."},
              "start": {"type": "integer"},
              "mask": {"type": "integer"},
              "total": {"type": "integer"}
            }
          },
          "place": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "at": {"type": "integer"},
              "order": {"enum": \(list(AddressOrder.allCases.map(\.rawValue)))}
            }
          },
          "write": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "characteristic": {"$ref": "#/$defs/uuids"},
              "hex": {"$ref": "#/$defs/bytes"},
              "currentTime": {"enum": ["cts", "dateTime"]},
              "data": {
                "type": "array",
                "items": {
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "hex": {"$ref": "#/$defs/bytes"},
                    "copy": {
                      "type": "object",
                      "additionalProperties": false,
                      "properties": {
                        "at": {"type": "integer"},
                        "count": {"type": "integer"},
                        "otherwise": {"$ref": "#/$defs/bytes"}
                      }
                    },
                    "time": {"$ref": "#/$defs/timePart"},
                    "zone": {"$ref": "#/$defs/zone"},
                    "type": {"$ref": "#/$defs/type"},
                    "password": {
                      "type": "object",
                      "additionalProperties": false,
                      "properties": {"at": {"type": "integer"}, "count": {"type": "integer"}}
                    },
                    "checksum": {"$ref": "#/$defs/checksum"}
                  }
                }
              },
              "mask": {"$ref": "#/$defs/mask"},
              "cipher": {"enum": \(list(WriteCipher.allCases.map(\.rawValue)))},
              "response": {"type": "boolean"}
            }
          },
          "mask": {
            "type": "object",
            "additionalProperties": false,
            "required": ["from"],
            "properties": {
              "from": {"type": "integer"},
              "byte": {"type": "integer"},
              "byteAt": {"type": "integer"},
              "address": {"enum": \(list(AddressOrder.allCases.map(\.rawValue)))}
            }
          },
          "assembly": {
            "type": "object",
            "additionalProperties": false,
            "required": ["characteristic"],
            "properties": {
              "characteristic": {"$ref": "#/$defs/uuid"},
              "start": {"$ref": "#/$defs/bytes"},
              "length": {
                "type": ["integer", "object"],
                "additionalProperties": false,
                "properties": {
                  "at": {"type": "integer"},
                  "type": {"$ref": "#/$defs/type"},
                  "plus": {"type": "integer"}
                }
              },
              "checksum": {"$ref": "#/$defs/checksum"},
              "bytes": {"$ref": "#/$defs/bytes"},
              "parts": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "count": {"type": "integer"},
                  "number": {"type": "integer"},
                  "payload": {"type": "integer"}
                }
              }
            }
          },
          "ratio": {"type": ["number", "string"], "description": "0.005 or 1/200."},
          "quantity": {"enum": \(list(Quantity.all.map(\.rawValue)))},
          "unit": {"type": "string", "description": "A UCUM code or a usual symbol: kg, lb, mm[Hg]."},
          "source": {
            "type": "object",
            "properties": {
              "characteristic": {"$ref": "#/$defs/uuids"},
              "serviceData": {"$ref": "#/$defs/uuid"},
              "manufacturerData": {"type": ["integer", "string"], "description": "0x0157, or any."}
            }
          },
          "clause": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "service": {"$ref": "#/$defs/uuid"},
              "characteristic": {"$ref": "#/$defs/uuid"},
              "name": {"type": "string"},
              "namePrefix": {"type": "string"},
              "nameContains": {"type": "string"},
              "serviceData": {"$ref": "#/$defs/data"},
              "manufacturerData": {"$ref": "#/$defs/data"}
            }
          },
          "data": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "uuid": {"$ref": "#/$defs/uuid"},
              "company": {"type": ["integer", "string"], "description": "0x0157, or any."},
              "length": {"type": "integer"},
              "bytes": {"$ref": "#/$defs/bytes"},
              "address": {"$ref": "#/$defs/place"}
            }
          },
          "step": {
            "type": "object",
            "additionalProperties": false,
            "maxProperties": 1,
            "properties": {
              "subscribe": {"$ref": "#/$defs/uuid"},
              "read": {"$ref": "#/$defs/uuid"},
              "write": {"$ref": "#/$defs/write"},
              "waitFor": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "characteristic": {"$ref": "#/$defs/uuid"},
                  "bytes": {"$ref": "#/$defs/bytes"},
                  "length": {"type": "integer"},
                  "seconds": {"type": "number"},
                  "required": {"type": "boolean"}
                }
              },
              "delay": {"type": "number", "description": "Seconds."},
              "echo": {"type": "array", "items": {"$ref": "#/$defs/uuid"}},
              "increment": {"$ref": "#/$defs/uuid"},
              "consent": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "characteristic": {"$ref": "#/$defs/uuid"},
                  "then": {"type": "array", "items": {"$ref": "#/$defs/step"}}
                }
              },
              "fetchRecords": {"$ref": "#/$defs/uuid"}
            }
          },
          "record": {
            "type": "object",
            "unevaluatedProperties": false,
            "allOf": [{"$ref": "#/$defs/source"}],
            "properties": {
              "bytes": {"$ref": "#/$defs/bytes"},
              "length": {"type": "integer"},
              "checksum": {"$ref": "#/$defs/checksum"},
              "unmask": {"$ref": "#/$defs/mask"},
              "follows": {"type": "number", "description": "Seconds after the frame that it belongs to."},
              "stored": {"type": "boolean", "description": "Measured before the link, and kept by the device."},
              "streamed": {"type": "boolean"},
              "user": {"type": "string", "description": "The field with the user's index."},
              "rate": {"type": "number", "description": "Samples a second."},
              "joined": {"type": "boolean"},
              "ignored": {"type": "boolean"},
              "codec": {"enum": \(list(CodecName.allCases.map(\.rawValue)))},
              "fields": {"type": "array", "items": {"$ref": "#/$defs/field"}},
              "motion": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "acceleration": {"$ref": "#/$defs/axes"},
                  "angularRate": {"$ref": "#/$defs/axes"},
                  "stride": {"type": "integer"}
                }
              },
              "commit": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                  "stable": {"$ref": "#/$defs/test"},
                  "removed": {"$ref": "#/$defs/test"},
                  "equal": {"type": "integer", "description": "Final after so many equal frames."},
                  "quantity": {"$ref": "#/$defs/quantity"},
                  "waitFor": {
                    "type": "object",
                    "additionalProperties": false,
                    "properties": {
                      "quantity": {"$ref": "#/$defs/quantity"},
                      "seconds": {"type": "number"}
                    }
                  }
                }
              }
            }
          },
          "axes": {
            "type": "object",
            "additionalProperties": false,
            "properties": {
              "type": {"$ref": "#/$defs/type"},
              "at": {"type": "integer"},
              "scale": {"$ref": "#/$defs/ratio"}
            }
          },
          "type": {"enum": \(list(FieldType.allCases.map(\.rawValue)))},
          "field": {
            "type": "object",
            "additionalProperties": false,
            "required": ["name", "type"],
            "properties": {
              "name": {"type": "string"},
              "type": {"$ref": "#/$defs/type"},
              "at": {"type": "integer"},
              "bits": {
                "type": "object",
                "additionalProperties": false,
                "properties": {"first": {"type": "integer"}, "count": {"type": "integer"}}
              },
              "parts": {
                "type": "array",
                "items": {
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "at": {"type": "integer"},
                    "first": {"type": "integer"},
                    "count": {"type": "integer"}
                  }
                }
              },
              "time": {"$ref": "#/$defs/timePart"},
              "zone": {"$ref": "#/$defs/zone"},
              "context": {"enum": \(list(MeasurementContext.all.map(\.name)))},
              "if": {"$ref": "#/$defs/test"},
              "validIf": {"$ref": "#/$defs/test"},
              "repeat": {"enum": ["toEnd"]},
              "invalid": {"type": "array", "items": {"type": "integer"}},
              "quantity": {"$ref": "#/$defs/quantity"},
              "counter": {"enum": \(list(CounterRule.allCases.map(\.rawValue)))},
              "scale": {"$ref": "#/$defs/ratio"},
              "offset": {"$ref": "#/$defs/ratio"},
              "unit": {"$ref": "#/$defs/unit"},
              "scales": {
                "type": "array",
                "items": {
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "if": {"$ref": "#/$defs/test"},
                    "scale": {"$ref": "#/$defs/ratio"},
                    "offset": {"$ref": "#/$defs/ratio"},
                    "unit": {"$ref": "#/$defs/unit"}
                  }
                }
              }
            }
          },
          "vector": {
            "type": "object",
            "additionalProperties": false,
            "required": ["name", "provenance", "from", "frames", "expect"],
            "properties": {
              "name": {"type": "string"},
              "provenance": {"enum": \(list(DefinitionVector.Provenance.allCases.map(\.rawValue)))},
              "from": {"type": "string"},
              "address": {"type": "string"},
              "key": {"$ref": "#/$defs/bytes"},
              "rejected": {"type": "integer"},
              "writes": {
                "type": "array",
                "description": "What is written to the device over a link, in order; the clock shows \(VectorPlayer.clock).",
                "items": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["characteristic", "hex"],
                  "properties": {
                    "characteristic": {"$ref": "#/$defs/uuid"},
                    "hex": {"$ref": "#/$defs/bytes"}
                  }
                }
              },
              "frames": {
                "type": "array",
                "items": {
                  "type": "object",
                  "unevaluatedProperties": false,
                  "allOf": [{"$ref": "#/$defs/source"}],
                  "properties": {
                    "at": {"type": "number", "description": "Seconds after the first."},
                    "hex": {"$ref": "#/$defs/bytes"},
                    "advertisement": {"$ref": "#/$defs/bytes"}
                  }
                }
              },
              "expect": {
                "type": "array",
                "items": {
                  "type": "object",
                  "additionalProperties": false,
                  "properties": {
                    "quantity": {"$ref": "#/$defs/quantity"},
                    "value": {"type": "number", "description": "In the quantity's canonical unit."},
                    "tolerance": {"type": "number", "description": "Where the source has rounded."},
                    "time": {"type": "string", "description": "2026-11-20T07:10:00"},
                    "user": {"type": "integer"},
                    "context": {
                      "type": "array",
                      "items": {"enum": \(list(MeasurementContext.all.map(\.name)))}
                    },
                    "sourceValue": {"type": "number"},
                    "sourceUnit": {"$ref": "#/$defs/unit"},
                    "acceleration": {"type": "array", "items": {"type": "number"}},
                    "angularRate": {"type": "array", "items": {"type": "number"}}
                  }
                }
              }
            }
          }
        }
      }
      """
  }
}
