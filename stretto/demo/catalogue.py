"""What the shop sells, on which terms, and the names its customers are made of."""

from typing import NamedTuple


class Product(NamedTuple):
    """One thing the shop sells."""

    product_id: str
    name: str
    category: str
    price: float
    """In euros."""
    in_stock: bool


class Terms(NamedTuple):
    """What the shop takes back in a category, and until when."""

    category: str
    days: int
    """Days after delivery; 0 where nothing is taken back."""
    condition: str


PRODUCTS = (
    Product("P-107", "brass reading lamp", "lighting", 64.0, True),
    Product("P-112", "paper lantern", "lighting", 18.5, True),
    Product("P-118", "clip-on night light", "lighting", 14.0, False),
    Product("P-124", "string of garden bulbs", "lighting", 32.0, True),
    Product("P-203", "enamel kettle", "kitchen", 41.0, True),
    Product("P-209", "cast-iron pan", "kitchen", 57.5, False),
    Product("P-214", "bread knife", "kitchen", 26.0, True),
    Product("P-221", "set of four bowls", "kitchen", 38.0, True),
    Product("P-226", "hand coffee mill", "kitchen", 72.0, True),
    Product("P-302", "wool blanket", "textiles", 89.0, True),
    Product("P-308", "linen tablecloth", "textiles", 47.0, False),
    Product("P-315", "striped bath towel", "textiles", 22.5, True),
    Product("P-319", "feather pillow", "textiles", 35.0, True),
    Product("P-401", "watering can", "garden", 29.0, True),
    Product("P-406", "tomato seedlings", "garden", 9.5, True),
    Product("P-411", "folding chair", "garden", 54.0, True),
    Product("P-417", "potting bench", "garden", 118.0, False),
    Product("P-502", "dotted notebook", "desk", 11.0, True),
    Product("P-507", "fountain pen", "desk", 43.5, True),
    Product("P-513", "cork board", "desk", 27.0, True),
    Product("P-518", "desk tray", "desk", 19.0, False),
)

TERMS = (
    Terms("lighting", 30, "unused, with all its parts"),
    Terms("kitchen", 30, "unused and unwashed"),
    Terms("textiles", 14, "with its label still on"),
    Terms("garden", 0, "not taken back, unless it arrived broken"),
    Terms("desk", 60, "in its wrapping"),
)

GIVEN_NAMES = (
    *("Ada", "Bruno", "Carla", "Dmitri", "Elif", "Farid", "Greta", "Hugo", "Ines"),
    *("Jonas", "Karin", "Leo", "Mira", "Nils", "Olga", "Pavel", "Rosa", "Sami"),
    *("Tilda", "Umar", "Vera", "Yusuf"),
)

FAMILY_NAMES = (
    *("Abbott", "Berg", "Castel", "Dahl", "Evers", "Fontana", "Garnier", "Holm"),
    *("Iversen", "Jansen", "Keller", "Lindt", "Moreau", "Novak", "Okafor"),
    *("Petit", "Quist", "Rossi", "Sorel", "Tanaka", "Weber", "Zeman"),
)

STREETS = (
    *("Mill Lane", "Harbour Street", "Chestnut Road", "Station Square"),
    *("Lower Market", "Orchard Way", "Chapel Hill", "Ropewalk"),
)

TOWNS = ("Aldern", "Brookmouth", "Castlewick", "Dunmere", "Eastholm", "Fernley")

CARRIERS = ("Northpost", "Swiftline", "Parcel Coop")

DEPOTS = ("Brookmouth depot", "Harbour terminal", "Eastholm crossing", "Dunmere hub")
