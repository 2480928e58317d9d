// SPDX-License-Identifier: BSD-3-Clause
// A solver's schema that uses every keyword, and a case for it: shared by the tests of engine/case and its fuzz target.
#pragma once

#include <string_view>

namespace conoid::sample {

inline constexpr std::string_view parameters = R"({
  "title": "Sample waves",
  "description": "Equations of a sample.",
  "required": ["grid", "excitation"],
  "properties": {
    "mesh": {"properties": {"order": {"type": "integer", "enum": [1, 2], "default": 1}}},
    "grid": {
      "type": "object", "description": "The box of nodes.",
      "required": ["spacing"],
      "properties": {
        "size": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 100000}, "minItems": 3,
                 "maxItems": 3, "default": [64, 64, 64], "title": "Nodes"},
        "spacing": {"type": "number", "unit": "m", "exclusiveMinimum": 0, "description": "Distance of nodes."},
        "origin": {"type": "array", "items": {"type": "number", "unit": "m"}, "minItems": 3, "maxItems": 3,
                   "default": [0, 0, "0 mm"]}
      }
    },
    "materials": {
      "type": "object", "description": "Named materials.", "maxItems": 5,
      "map": {
        "type": "object", "required": ["density"],
        "properties": {
          "density": {"type": "number", "unit": "kg/m^3", "minimum": 0},
          "speed": {"type": "number", "unit": "m/s", "minimum": "1 mm/s", "maximum": "20 km/s", "default": "1.5 km/s"}
        }
      }
    },
    "regions": {"type": "object", "group": "mesh-group", "map": {"type": "string", "minLength": 1}},
    "boundaries": {
      "type": "array", "maxItems": 20,
      "items": {
        "type": "object", "discriminator": "kind",
        "properties": {
          "kind": {"default": "rigid", "description": "What the boundary does."},
          "group": {"type": "string", "group": "mesh-group"}
        },
        "variants": {
          "rigid": {},
          "sponge": {
            "required": ["width"],
            "properties": {
              "width": {"type": "integer", "minimum": 1},
              "loss": {"type": "number", "unit": "dB", "default": "-60 dB", "maximum": 0}
            }
          },
          "impedance": {"properties": {"value": {"type": "number", "unit": "Pa*s/m", "default": "1.5 Mrayl"}}}
        }
      }
    },
    "excitation": {
      "type": "object", "discriminator": "kind",
      "variants": {
        "ricker": {
          "required": ["frequency"],
          "properties": {
            "frequency": {"type": "number", "unit": "Hz", "minimum": 1, "maximum": "1.2 GHz",
                          "description": "Frequency of the maximum of the spectrum."},
            "angle": {"type": "number", "unit": "rad", "default": "45 deg", "live": true}
          }
        },
        "sampled": {
          "required": ["file"],
          "properties": {"file": {"type": "string", "file": "signal", "minLength": 1}}
        }
      }
    },
    "parameters": {
      "type": "object",
      "properties": {
        "order": {"type": "integer", "enum": [2, 4, 6, 8], "default": 4},
        "time_step": {"type": "number", "unit": "s", "exclusiveMinimum": 0, "words": ["auto"], "default": "auto"},
        "cfl": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.5, "advanced": true},
        "name": {"type": "string", "pattern": "[a-z][a-z0-9_]*", "maxLength": 20},
        "scheme": {"type": "string", "enum": ["leapfrog", "lax-wendroff"], "default": "leapfrog"},
        "damping": {
          "type": "object", "optional": true,
          "properties": {"width": {"type": "integer", "default": 20}, "strength": {"type": "number", "default": 3}}
        },
        "free_surface": {"type": "boolean", "default": false, "live": true}
      }
    },
    "output": {
      "properties": {
        "frames": {"properties": {"interval": false, "count": {"default": 7}}},
        "receivers": {
          "type": "array", "default": [],
          "items": {
            "type": "object", "required": ["position"],
            "properties": {
              "name": {"type": "string", "default": ""},
              "position": {"type": "array", "items": {"type": "number", "unit": "m"}, "minItems": 3, "maxItems": 3}
            }
          }
        }
      }
    },
    "compute": {"properties": {"precision": {"default": "single"}}}
  }
})";

inline constexpr std::string_view solver = "sample-waves";

inline constexpr std::string_view good_case = R"({
  // A case that uses most of the sample's schema.
  "conoid": 1,
  "title": "Point source over a layer",
  "solver": "sample-waves",
  "mesh": {"file": "box.msh", "unit": "mm"},
  "grid": {
    "size": [10, 20, 30],
    "spacing": "5 mm",
    "origin": ["-1 in", 0, 0.5]
  },
  "materials": {
    "water": {"density": "1 g/cm^3"},
    "steel": {"density": 7850, "speed": "5900 m/s"}
  },
  "regions": {"inside": "water", "shell": "steel"},
  "boundaries": [
    {"group": "outer"},
    {"kind": "sponge", "width": 12, "group": "inner"},
    {"kind": "impedance", "value": 415}
  ],
  "excitation": {"kind": "ricker", "frequency": "250 kHz", "angle": "90 deg"},
  "parameters": {"order": 8, "time_step": "0.2 us", "name": "layer_1"},
  "output": {
    "frames": {"every": 10, "fields": ["p"]},
    "receivers": [{"name": "r1", "position": [0, 0, "1 cm"]}]
  },
  "compute": {"threads": 2, "memory": {"host": "1.5 GiB"}}
})";

}  // namespace conoid::sample
