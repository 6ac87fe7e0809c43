"""The colours of attention differ from one another for every eye, and from both papers."""

from itertools import combinations

import numpy as np

from attention_lab.theme import ROLES, WEIGHT_ON_DARK

SHARE_A_PAGE = ("query", "key", "value", "context", "weight", "word")
# What is seen of linear red, green and blue without the first or the second kind of cone (Machado et al. 2009).
EYES = {
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "trichromacy": np.eye(3),
}
CONES = np.array([[0.4122, 0.5363, 0.0515], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]])  # Oklab
OKLAB = np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]])


def linear(colour):
    sent = np.array(list(bytes.fromhex(colour[1:]))) / 255
    return np.where(sent <= 0.04045, sent / 12.92, ((sent + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    dark, bright = sorted(linear(colour) @ [0.2126, 0.7152, 0.0722] + 0.05 for colour in (one, other))
    return bright / dark


def test_roles_that_share_a_page_differ_for_every_eye():
    for eye, seen in EYES.items():
        place = {
            role: OKLAB @ np.cbrt(CONES @ np.clip(seen @ linear(ROLES[role]), 0, 1)) for role in SHARE_A_PAGE
        }
        for one, other in combinations(SHARE_A_PAGE, 2):
            assert np.linalg.norm(place[one] - place[other]) > 0.05, (eye, one, other)


def test_shapes_stand_out_from_both_papers():
    for role in ROLES:
        on_dark = WEIGHT_ON_DARK if role == "weight" else ROLES[role]
        assert contrast(ROLES[role], "#ffffff") >= 3 <= contrast(on_dark, "#12141c"), role
